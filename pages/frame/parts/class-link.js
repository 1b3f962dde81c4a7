/**
 * A link for a class, in the panel Share: which controls it fixes, and which it hides. Facts and widgets are the
 * server's (`pages/frame/limits.py`); here the link is read, and another one made.
 */
import { open } from "./history.js";

/** What each page can be set to, beside this folder. */
const CONTROLS = new URL("../controls.json", import.meta.url);
const STATES = { free: "can be moved", fixed: "is fixed", hidden: "is hidden" };
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

/** The part of the panel: a choice for each control; `changed` is told the link that they make. */
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
  const selects = controls.map(([name, label]) => {
    const select = made("select", { "aria-label": label }, ...Object.entries(STATES).map(([state, words]) => made("option", { value: state }, words)));
    select.value = stateOf(now, name);
    select.addEventListener("change", tell);
    return select;
  });
  const link = () => limited(now, Object.fromEntries(controls.map(([name], place) => [name, selects[place].value])));
  function tell() {
    changed(link());
  }
  const all = (state) => button(`All: ${STATES[state]}`, () => {
    selects.forEach((select) => (select.value = state));
    tell();
  });
  return [
    made("p", {}, "What is fixed stays as it is now and is shown as a fact."),
    row(all("hidden"), all("free"), button("Open this link", () => open(link()))),
    ...controls.map(([, label], place) => row(made("span", { class: "title" }, label), selects[place])),
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
