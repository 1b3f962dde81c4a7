/**
 * Presenter mode: `present=1` or `present=2` in the address shows so many charts at a time, large, with the
 * headline, the answer, the cards and what is on the stage (`pages/shared/app/turns.py`), and nothing else.
 * Keys (and clickers) step from chart to chart.
 */
import { open } from "./history.js";

export const PARAMETER = "present";
/** Shares of the screen that charts may take, and how many times larger than elsewhere they get at most; pixels below. */
const HIGH = 0.66, WIDE = 0.94, LARGEST = 2.5, SMALLEST_WIDTH = 400, FOOT = 24;
/** Letters of a line that is the title of the chart below it, at most. */
const TITLE = 80;
/** How many times larger charts get at least on a projector: what has 12 px elsewhere has 16, as in screens.css. */
const PROJECTOR = 1800, LEAST = 1.375;
const STEPS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
/** What has a use for these keys itself. */
const TYPED = "input, textarea, button, select, [role='slider'], [role='listbox']";
let first = 0;

/** How many charts are shown at a time; 0 if this is not presenter mode. */
export function wanted() {
  const text = new URLSearchParams(location.search).get(PARAMETER);
  return text === "1" || text === "2" ? Number(text) : 0;
}

/** The address of this page that shows so many charts at a time; 0 for all of the page. */
export function addressOf(count) {
  const address = new URL(location.href);
  if (count) address.searchParams.set(PARAMETER, count);
  else address.searchParams.delete(PARAMETER);
  return address.href;
}

/** Apply a file of looks, or do not: its rules would be asked at each change of the page. */
export function apply(name, now) {
  const link = document.querySelector(`link[href$="/${name}"]`), media = now ? "all" : "not all";
  if (link.media !== media) link.media = media; // to set it again would load the file again
}

/** Show the charts whose turn it is, if this is presenter mode. */
export function present() {
  const count = wanted();
  const root = document.documentElement;
  root.classList.toggle("presenting", count > 0);
  apply("presenter.css", count > 0);
  const all = places();
  if (!count) {
    document.querySelectorAll("[data-shown], [data-over]").forEach((one) => ["data-shown", "data-over"].forEach((name) => one.removeAttribute(name)));
    root.style.removeProperty("--larger");
    root.style.removeProperty("--rows");
    return;
  }
  first = Math.min(first, Math.max(0, all.length - count));
  all.forEach((one, place) => one.toggleAttribute("data-shown", place >= first && place < first + count));
  const shown = all.slice(first, first + count);
  head(shown);
  const height = Math.max(300, ...shown.map((one) => one.querySelector(".js-plotly-plot")?._fullLayout?.height ?? 0));
  const fitting = Math.min(LARGEST, Math.min(innerHeight * HIGH, innerHeight - topOf(shown) - FOOT) / height, (innerWidth * WIDE) / Math.min(count, shown.length || 1) / SMALLEST_WIDTH);
  const larger = Math.max(innerWidth >= PROJECTOR ? LEAST : 1.01, fitting);
  root.style.setProperty("--larger", larger.toFixed(2));
  root.style.setProperty("--rows", `1fr ${(larger - 1).toFixed(2)}fr`);
}

/** Show the headlines under which these charts stand, and their titles where those are lines above them. */
function head(shown) {
  const heads = [...document.querySelectorAll("[data-testid='stMain'] [data-testid='stElementContainer']:has(h2)")];
  const over = shown.flatMap((one) => [
    heads.findLast((head) => head.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING), titleOf(one),
  ]);
  document.querySelectorAll("[data-over]").forEach((one) => one.toggleAttribute("data-over", over.includes(one)));
  over.forEach((one) => one?.setAttribute("data-over", ""));
}

function titleOf(chart) {
  const line = chart.previousElementSibling?.querySelector("[data-testid='stMarkdownContainer']");
  return line && line.textContent.length <= TITLE ? chart.previousElementSibling : undefined;
}

/** How far below the top of the page the first row of these charts begins: where the lowest one in it does. */
function topOf(shown) {
  const scrolled = document.querySelector("[data-testid='stMain']")?.scrollTop ?? 0;
  const boxes = shown.map((one) => one.getBoundingClientRect()), end = Math.min(...boxes.map((box) => box.bottom));
  return Math.min(innerHeight, Math.max(0, ...boxes.map((box) => box.top).filter((top) => top < end)) + scrolled);
}

function places() {
  const found = document.querySelectorAll("[data-testid='stMain'] [data-testid='stElementContainer']");
  return [...found].filter((one) => one.querySelector(".js-plotly-plot, .animation, .sandbox") && !one.closest("[class*='st-key-stage'], [class*='st-key-exercise-']"));
}

addEventListener("resize", present);
addEventListener("keydown", (event) => {
  const count = wanted();
  if (!count || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPED))
    return;
  if (event.key in STEPS) first = Math.max(0, Math.min(first + STEPS[event.key] * count, places().length - count));
  else if (event.key === "1" || event.key === "2") open(addressOf(Number(event.key)));
  else if (event.key === "Escape" && !document.querySelector(":popover-open")) open(addressOf(0));
  else return;
  event.preventDefault();
  present();
});
