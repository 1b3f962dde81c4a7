/**
 * Names and abbreviations have their meaning where a page is first read: for pointer, touch, keys and screen readers.
 *
 * React owns the text nodes of a page. A text is split for a term and put together again before React's next change of
 * it can be seen; what is split is a part of the page for as long as its text is.
 */
import { TERMS } from "./glossary.js";

/** Where the reader begins, then where controls stand; what is drawn, typed or a formula is no text to split. */
const REGIONS = ["[data-testid='stMain']", "[data-testid='stSidebar']"];
const APART = "pre, code, .katex, svg, canvas, textarea, script, style, .animation-told, [data-testid='stDataFrame'], [hidden]";
/** What does something when it is pressed, and so has no part that does something else: it is described as a whole. */
const PRESSED = "a, button, label:not([data-testid='stMetricLabel']), summary, input, select, [role='option'], [role='radio'], [role='tab'], [role='menuitem']";
/** Pixels between a word and its meaning, and from the sides of the screen; milliseconds for the way to it. */
const GAP = 6, SIDE = 8, WAY = 150;
const PATTERN = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:${TERMS.flatMap(({ forms }) => forms).sort((a, b) => b.length - a.length).join("|")})(?![\\p{L}\\p{N}_-])`, "gu");
const termOf = new Map(TERMS.flatMap((term) => term.forms.map((form) => [form, term])));

/** Text node of the page -> its whole text, what it was cut to, the nodes that hold the rest, and where its terms are. */
const split = new Map(), ours = new WeakSet();
/** What is described as a whole -> its terms. */
const described = new Map();
let tip, shownFor, going;

/** Begin; the function that is returned looks at the page again. */
export function explainTerms() {
  const list = made("div", { id: "frame-terms", hidden: "" });
  TERMS.forEach(({ meaning }, place) => list.append(made("span", { id: `frame-term-${place}` }, meaning)));
  tip = made("div", { id: "frame-term", role: "tooltip", popover: "manual" });
  document.body.append(list, tip);
  new MutationObserver(mend).observe(document.getElementById("root"), { childList: true, subtree: true, characterData: true });
  for (const [event, act] of [["pointerover", onOver], ["focusin", onFocus], ["click", onClick], ["focusout", onLeave], ["pointerout", onLeave]])
    document.addEventListener(event, act);
  tip.addEventListener("pointerenter", () => clearTimeout(going));
  tip.addEventListener("pointerleave", onLeave);
  addEventListener("keydown", onKey, true); // before presenter mode ends at the same key
  addEventListener("scroll", hide, true);
  return look;
}

/** Find where each term is first read, and mark it there. */
function look() {
  mend();
  const wanted = new Map(), whole = new Map(), found = new Set(), told = new Set();
  for (const { node, text, host } of REGIONS.flatMap((region) => [...document.querySelectorAll(region)]).flatMap(texts))
    for (const { 0: form, index } of text.matchAll(PATTERN)) {
      const term = termOf.get(form);
      if (found.has(term)) continue;
      if (!host) {
        found.add(term);
        wanted.set(node, [...(wanted.get(node) ?? []), { form, index, term }]);
      } else if (!told.has(term)) { // read before the first text that has it
        told.add(term);
        whole.set(host, [...(whole.get(host) ?? []), term]);
      }
    }
  for (const [node, { at }] of [...split]) if (at !== key(wanted.get(node))) join(node);
  for (const [node, terms] of wanted) if (!split.has(node)) cut(node, terms);
  describe(whole);
}

/** Whether a text is what it was, whichever of its spaces have been made non-breaking since (lines.js). */
const same = (one, other) => one.replaceAll("\u00a0", " ") === other.replaceAll("\u00a0", " ");
/** Where the terms of a text are. */
const key = (terms) => terms?.map(({ form, index }) => `${index} ${form}`).join() ?? "";

/** The texts of a region that can be seen, in the order of reading; `host` is what is pressed with them. */
function texts(region) {
  const walker = document.createTreeWalker(region, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (ours.has(node) || !parent) continue;
    const text = split.get(node)?.text ?? node.data;
    if (text.search(PATTERN) < 0 || parent.closest(APART) || parent.getBoundingClientRect().width < 2) continue;
    found.push({ node, text, host: parent.closest(PRESSED) });
  }
  return found;
}

/** Split a text: before the first term, then each term and what follows it. */
function cut(node, terms) {
  const text = node.data, nodes = [];
  terms.forEach(({ form, index, term }, place) => {
    const word = own(document.createTextNode(form)), end = index + form.length;
    const mark = made("span", { class: "term", tabindex: "0", role: "button", "aria-describedby": idsOf([term]) }, word);
    nodes.push(mark, own(document.createTextNode(text.slice(end, terms[place + 1]?.index))));
  });
  node.data = text.slice(0, terms[0].index);
  node.after(...nodes);
  split.set(node, { text, head: node.data, nodes, at: key(terms) });
}

/** Put a text together again, unless the page has another one there by now. */
function join(node) {
  const { text, head, nodes } = split.get(node);
  split.delete(node);
  nodes.forEach((one) => one.remove());
  if (same(node.data, head)) node.data = text;
}

/** After a change of the page: take away what stands for a text that is no longer there. */
function mend() {
  for (const [node, { head, nodes }] of [...split]) {
    const whole = nodes.every((one, place) => one.previousSibling === (nodes[place - 1] ?? node));
    if (!node.isConnected || !same(node.data, head) || !whole) join(node);
  }
  if (shownFor && !shownFor.isConnected) hide();
}

/** Describe as a whole what is pressed, and nothing else. */
function describe(whole) {
  for (const [host, terms] of [...described]) {
    if (whole.has(host) && idsOf(whole.get(host)) === idsOf(terms)) continue;
    reached(host)?.removeAttribute("aria-describedby");
    described.delete(host);
  }
  for (const [host, terms] of whole) {
    const control = described.has(host) ? null : reached(host);
    if (!control || control.hasAttribute("aria-describedby")) continue; // the page says something itself
    control.setAttribute("aria-describedby", idsOf(terms));
    described.set(host, terms);
  }
}

/** What keys reach of what is pressed: itself, or the control that a label is of. */
function reached(host) {
  if (host.tagName !== "LABEL") return host;
  const around = host.closest("[data-testid='stElementContainer']") ?? host;
  return around.querySelector("input:not([type='hidden']), [role='slider'], button, [tabindex='0']");
}

/** The marked word, or the whole that is described, at which something happens. */
function markOf(target) {
  if (!(target instanceof Element)) return null;
  const mark = target.closest(".term");
  if (mark) return mark;
  return [...described.keys()].find((host) => host.contains(target) || reached(host)?.contains(target)) ?? null;
}

function show(mark) {
  clearTimeout(going);
  if (mark === shownFor) return;
  const terms = described.get(mark) ?? [termOf.get(mark.textContent)];
  const { backgroundColor, color } = getComputedStyle(document.querySelector("[data-testid='stApp']"));
  Object.assign(tip.style, { backgroundColor, color });
  tip.replaceChildren(...terms.map(({ word, meaning }) => made("div", {}, made("strong", {}, word), `: ${meaning}`)));
  tip.showPopover();
  shownFor = mark;
  const at = mark.getBoundingClientRect(), box = tip.getBoundingClientRect();
  const whole = described.has(mark) && mark.closest("[data-testid='stButtonGroup']")?.getBoundingClientRect(); // its others can be pressed
  const { top, bottom } = whole || at, above = top - GAP - box.height;
  const below = bottom + GAP + box.height <= innerHeight && !(whole && above >= SIDE);
  tip.style.left = `${Math.max(SIDE, Math.min(at.left, innerWidth - SIDE - box.width))}px`;
  tip.style.top = `${below ? bottom + GAP : Math.max(SIDE, above)}px`;
}

function hide() {
  clearTimeout(going);
  if (shownFor) tip.hidePopover();
  shownFor = undefined;
}

function onOver(event) {
  const mark = event.pointerType === "touch" ? null : markOf(event.target);
  if (mark) show(mark);
}

function onFocus({ target }) {
  const mark = target.matches(":focus-visible") ? markOf(target) : null;
  if (mark) show(mark);
}

/** A tap shows, and one elsewhere hides. */
function onClick({ target }) {
  const mark = target instanceof Element ? target.closest(".term") : null;
  if (mark) show(mark);
  else if (!tip.contains(target)) hide();
}

function onLeave() {
  clearTimeout(going);
  going = setTimeout(hide, WAY);
}

function onKey(event) {
  const mark = event.target instanceof Element ? event.target.closest(".term") : null;
  if (event.key === "Escape" && shownFor) hide();
  else if (mark && (event.key === "Enter" || event.key === " ")) show(mark);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

const idsOf = (terms) => terms.map((term) => `frame-term-${TERMS.indexOf(term)}`).join(" ");

function own(node) {
  ours.add(node);
  return node;
}

function made(tag, attributes, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...children);
  return one;
}
