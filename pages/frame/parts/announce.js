/** Announce the result to screen readers when it is final, once: not each of the better answers before. */
export function announceResults() {
  const region = document.createElement("div");
  region.id = "frame-status";
  region.setAttribute("role", "status");
  document.body.append(region);
  let told = "";
  return () => {
    if (document.querySelector("[data-test-script-state]")?.dataset.testScriptState !== "notRunning") return;
    const now = result();
    if (now && now !== told) region.textContent = told = now;
  };
}

/** The answer of the page, or else what its cards say. */
function result() {
  const answer = document.querySelector("[class*='st-key-answer']");
  const parts = answer ? [answer] : [...document.querySelectorAll("[data-testid='stMetric']")];
  return parts.map((part) => part.innerText.replace(/\s*\n+\s*/g, ", ").trim()).join(". ");
}
