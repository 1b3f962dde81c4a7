/** Let keys reach everything: scrollable parts, and the first slider without a way through all menus. */

const SCROLLS = "[data-testid='stTable'], [data-testid='stTable'] > div, [data-testid='stCode'] pre, .katex-display";

export function reachRegions() {
  for (const one of document.querySelectorAll(SCROLLS)) {
    const scrolls = one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX);
    if (scrolls && one.tabIndex < 0) {
      one.tabIndex = 0;
      one.setAttribute("role", "group"); // not a region: pages have several, and those want names of their own
      one.setAttribute("aria-label", "Scrolls sideways");
    }
  }
}

/** Say what is meant where Streamlit's own elements say something else, or nothing. */
export function nameParts() {
  // the corner of a table heads nothing
  for (const one of document.querySelectorAll("[data-testid='stTable'] th:not([role])"))
    if (!one.textContent.trim()) one.setAttribute("role", "cell");
  // it has a name, and a presentation has none
  for (const one of document.querySelectorAll("[data-testid='stFileUploaderDropzone'][role='presentation']"))
    one.setAttribute("role", "group");
}

export function skipToSlider() {
  const link = document.createElement("button");
  link.id = "frame-skip";
  link.textContent = "Skip to the first slider";
  link.addEventListener("click", () => firstSlider()?.focus());
  document.body.prepend(link);
}

/**
 * Lead whoever has pressed what is gone now, as a prediction is once it is made, to the answer: else keys would begin
 * at the top of the page again. What presenter mode shows has such buttons (`pages/shared/app/turns.py`).
 */
export function keepPlace() {
  let last;
  addEventListener("focusin", ({ target }) => (last = target.closest("[class*='st-key-stage'], [class*='st-key-answer']") && target));
  return () => {
    const answer = document.querySelector("[class*='st-key-answer']");
    if (!last || last.isConnected || document.activeElement !== document.body || !answer) return;
    answer.tabIndex = -1;
    answer.focus();
  };
}

function firstSlider() {
  const all = [...document.querySelectorAll("[role='slider'], input[type='range']")];
  return all.find((one) => one.getClientRects().length && !one.disabled);
}
