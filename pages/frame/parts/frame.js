// The frame of every page, started once; each module is one idea.
import { announceResults } from "./announce.js";
import { drawBar } from "./bar.js";
import { beginCharts } from "./early.js";
import { replaceWhileOnePage } from "./history.js";
import { joinNumbers } from "./lines.js";
import { present } from "./presenter.js";
import { fitToPaper } from "./print.js";
import { keepPlace, nameParts, reachRegions, skipToSlider } from "./reach.js";
import { readCharts } from "./reader.js";
import { leaveTables } from "./tables.js";
import { turnFirst } from "./tabs.js";
import { explainTerms } from "./terms.js";
import { watchTheme } from "./theme.js";

/** Milliseconds without a change of the page after which it is looked at again. */
const QUIET = 150;

replaceWhileOnePage();
skipToSlider();
fitToPaper();
leaveTables();
turnFirst();
joinNumbers();
beginCharts();
const onChange = [drawBar, reachRegions, nameParts, present, showAnimations, readCharts, announceResults(), keepPlace(), watchTheme(), explainTerms()];

/** Runs to watch are rare: what plays them is loaded with the first. A sandbox is there at once. */
function showAnimations() {
  const animations = document.querySelectorAll("[data-animation]:not([data-mounted])");
  if (animations.length) import("./animation-player.js").then(({ mount }) => animations.forEach(mount));
  const sandboxes = document.querySelectorAll("[data-sandbox]:not([data-mounted])");
  if (sandboxes.length) import("./sandbox.js").then(({ mountSandbox }) => sandboxes.forEach(mountSandbox));
}

let later;
new MutationObserver(() => {
  clearTimeout(later);
  later = setTimeout(() => onChange.forEach((look) => look()), QUIET);
}).observe(document.getElementById("root"), {
  childList: true,
  subtree: true,
  attributeFilter: ["data-test-script-state"],
});
addEventListener("popstate", () => setTimeout(present, QUIET));
