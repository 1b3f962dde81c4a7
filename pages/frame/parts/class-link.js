/**
 * A link for a class, in the panel Share: which controls it fixes, and which it hides. Facts and widgets are the
 * server's (`pages/frame/limits.py`); here the link is read, and another one made.
 */
import { open } from "./history.js";

/** What each page can be set to, beside this folder. */
const CONTROLS = new URL("../controls.json", import.meta.url);
/** What can be ticked of a control; one of which neither is can be moved. */
const TICKS = { fixed: "Fixed", hidden: "Hidden" };
let known;

/** Names that a link has in its parameter; null where it has none. */
const names = (address, which) => address.searchParams.get(which)?.split(",").filter(Boolean) ?? null;

/** Whether a link leaves a control free, fixes it or hides it. */
export function stateOf(address, name) {
  if (names(address, "lock")?.includes(name)) return "fixed";
  return names(address, "show")?.includes(name) ?? true ? "free" : "hidden";
}

/** The link with other limits: name of each control -> its state. */
export function limited(address, states) {
  const found = new URL(address), of = (state) => Object.keys(states).filter((name) => states[name] === state);
  const set = (which, list, needed) => (needed ? found.searchParams.set(which, list.join(",")) : found.searchParams.delete(which));
  set("lock", of("fixed"), of("fixed").length);
  set("show", of("free"), of("hidden").length);
  return found.href;
}

/** The link without what its reader has moved: what it fixes or hides stays. */
export function resetOf(address) {
  const now = new URL(address), kept = new URLSearchParams({ v: "1" });
  for (const [name, text] of now.searchParams)
    if (["lock", "show"].includes(name) || stateOf(now, name) !== "free") kept.set(name, text);
  return `${now.pathname}?${kept}`;
}

/** The part of the panel: two ticks for each control; `changed` is told the link that they make. */
export function classLink(address, changed) {
  const now = new URL(address), rows = made("div"), told = made("summary", {}, "A link for a class");
  const details = made("details", {}, told, rows);
  details.addEventListener("toggle", async () => {
    if (!details.open || rows.childElementCount) return;
    const page = now.pathname.split("/").pop() || "start";
    known ??= fetch(CONTROLS).then((answer) => answer.json());
    const controls = (await known)[page] ?? [];
    rows.replaceChildren(...(controls.length ? choices(now, controls, changed) : ["This page has no controls."]));
  });
  details.open = ["lock", "show"].some((which) => now.searchParams.has(which));
  return details;
}

function choices(now, controls, changed) {
  const states = Object.fromEntries(controls.map(([name]) => [name, stateOf(now, name)])), ticks = [];
  const draw = () => ticks.forEach(({ box, name, state }) => (box.checked = states[name] === state));
  const set = (names, state) => {
    names.forEach((name) => (states[name] = state));
    draw();
    changed(limited(now, states));
  };
  const tick = (name, label, state) => {
    const box = made("input", { type: "checkbox", "aria-label": `${label}: ${TICKS[state].toLowerCase()}` });
    box.addEventListener("change", () => set([name], box.checked ? state : "free"));
    ticks.push({ box, name, state });
    return made("td", {}, box);
  };
  const lines = controls.map(([name, label]) =>
    made("tr", {}, made("th", { scope: "row" }, label), ...Object.keys(TICKS).map((state) => tick(name, label, state))));
  const head = ["Control", ...Object.values(TICKS)].map((title) => made("th", { scope: "col" }, title));
  const all = (label, state) => button(label, () => set(controls.map(([name]) => name), state));
  draw();
  return [
    made("p", {}, "Tick what your class cannot move: what is fixed is shown as it is now, what is hidden is not shown."),
    row(all("Hide all", "hidden"), all("Free all", "free"), button("Open this link", () => open(limited(now, states)))),
    made("table", {}, made("thead", {}, made("tr", {}, ...head)), made("tbody", {}, ...lines)),
  ];
}

const row = (...parts) => made("div", { class: "row" }, ...parts);

function button(label, action) {
  const one = made("button", { type: "button" }, label);
  one.addEventListener("click", action);
  return one;
}

function made(tag, attributes = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...children);
  return one;
}
