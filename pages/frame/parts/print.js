/** Make the printed page fit one sheet, or each part its own: a picture for each chart, then all of it as small as needed. */
import { charts, svgOf } from "./charts.js";
import { apply } from "./presenter.js";

/** CSS pixels of A4 between the margins, less what Streamlit adds for paper, and the smallest scale that can be read; what needs more gets sheets. */
const HIGH = 930, SMALLEST = 0.45;

export function fitToPaper() {
  const root = document.documentElement;
  let pictures = [];
  addEventListener("beforeprint", () => {
    pictures = charts().map(({ plot }, place) => pictureOf(plot, place));
    root.classList.add("printing");
    apply("print.css", true);
    const block = document.querySelector("[data-testid='stMainBlockContainer']");
    root.style.setProperty("--paper", Math.max(SMALLEST, Math.min(1, HIGH / highest(block))).toFixed(3));
  });
  addEventListener("afterprint", () => {
    root.classList.remove("printing");
    apply("print.css", false);
    root.style.removeProperty("--paper");
    pictures.forEach((one) => one.remove());
  });
}

/** Pixels of the highest sheet: of the page, or of each of its parts that begin a sheet of their own. */
function highest(block) {
  const more = [...block.querySelectorAll("[class*='st-key-sheet-']")].slice(1).map((one) => one.offsetHeight);
  return Math.max(block.scrollHeight - more.reduce((sum, one) => sum + one, 0), ...more);
}

/** Put a picture of a chart behind it; its parts get names of their own. */
function pictureOf(plot, place) {
  const picture = document.createElement("div");
  picture.className = "frame-picture";
  picture.innerHTML = svgOf(plot).replace(/(\bid="|url\((?:&quot;|['"])?#)/g, `$1print${place}-`);
  plot.closest("[data-testid='stElementContainer']").append(picture);
  return picture;
}
