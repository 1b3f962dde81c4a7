/** The bar of every page: its link, the link's QR code, its charts as pictures, presenting, printing, reset. */
import { charts, pngOf, save, svgOf } from "./charts.js";
import { classLink, resetOf } from "./class-link.js";
import { open } from "./history.js";
import { addressOf, wanted } from "./presenter.js";

/** The lasting parts, beside this file. */
const CODE = new URL("../qr.svg", import.meta.url);
/** Characters of a link beyond which it has no code that can be read from a wall; as in `pages/frame/browser.py`. */
const LONGEST = 1000;
/** Milliseconds in which the sidebar opens. */
const OPENING = 350;

/** Put the bar on the page, unless it is there or another site shows the page in a frame. */
export function drawBar() {
  const app = document.querySelector("[data-testid='stApp']"), there = document.getElementById("frame-panel");
  if (there?.matches(":popover-open") && there.dataset.charts !== String(charts().length)) fill(there);
  if (!app || there || new URLSearchParams(location.search).has("embed")) return;
  const panel = made("div", { id: "frame-panel", popover: "auto", role: "dialog", "aria-label": "Share and save" });
  const share = button("Share", () => {}, { popovertarget: panel.id, "aria-haspopup": "dialog" });
  panel.addEventListener("beforetoggle", ({ newState }) => newState === "open" && fill(panel));
  const bar = made("div", { id: "frame-bar", role: "region", "aria-label": "This page" }, controlsButton(), share);
  app.append(bar, panel);
}

/**
 * Open the sidebar at its controls, which come after the menu on a narrow screen, or close it. Streamlit closes it
 * as soon as something beside it is touched: what it was before that counts.
 */
function controlsButton() {
  const isOpen = () => document.querySelector("[data-testid='stSidebar']")?.dataset.collapsed === "false";
  let before;
  const toggle = () => {
    const close = before ?? isOpen();
    before = undefined;
    if (close && isOpen()) document.querySelector("[data-testid='stSidebarCollapseButton'] button")?.click();
    if (close) return;
    document.querySelector("[data-testid='stExpandSidebarButton']")?.click();
    setTimeout(() => document.querySelector("[data-testid='stSidebarUserContent']").scrollIntoView(), OPENING);
  };
  const one = button("Controls", toggle, { class: "narrow" });
  one.addEventListener("pointerdown", () => (before = isOpen()));
  return one;
}

function fill(panel) {
  const address = addressOf(0);
  const link = made("input", { readonly: "", value: address, "aria-label": "Link of this page and its settings" });
  link.addEventListener("focus", () => link.select());
  const told = made("span", { role: "status" });
  panel.dataset.charts = charts().length;
  let picture = code(address);
  const limited = (other) => {
    const another = code(other);
    another.open = picture.open;
    picture.replaceWith(another);
    [link.value, picture] = [other, another];
  };
  panel.replaceChildren(
    section("Link", link, row(button("Copy link", () => copy(link, told)), told), picture, classLink(address, limited)),
    section("Charts", ...chartRows(told)),
    section("Page", row(...pageButtons(panel))),
  );
}

function pageButtons(panel) {
  const act = (label, action) => button(label, () => { panel.hidePopover(); action(); });
  const presenting = wanted()
    ? [act("End presenting", () => open(addressOf(0)))]
    : [act("Present", () => open(addressOf(2)))];
  return [...presenting, act("Print", () => print()), act("Reset", reset)];
}

/** Set every control of the page to where it begins; what a link fixes or hides stays. */
function reset() {
  open(resetOf(location.href));
}

function code(address) {
  if (address.length > LONGEST)
    return made("p", {}, `No QR code: the link has ${address.length} characters; at most ${LONGEST} can be read from a wall.`);
  const picture = made("img", { alt: "QR code of the link", src: `${CODE}?address=${encodeURIComponent(address)}` });
  return made("details", {}, made("summary", {}, "QR code"), picture);
}

function chartRows(told) {
  const page = location.pathname.split("/").pop() || "start";
  const rows = charts().map(({ plot, title }) => {
    const name = `${page}-${title}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
    const svg = () => save(`${name}.svg`, new Blob([svgOf(plot, title)], { type: "image/svg+xml" }));
    const png = async () => save(`${name}.png`, await pngOf(plot, title));
    return row(
      made("span", { class: "title" }, title),
      button("PNG", () => png().catch(() => (told.textContent = "This browser cannot make the picture; take SVG.")),
        { "aria-label": `${title}: save as PNG` }),
      button("SVG", svg, { "aria-label": `${title}: save as SVG` }),
    );
  });
  return rows.length ? rows : [made("p", {}, "This page shows no chart now.")];
}

/** Copy the link; a page without TLS has no clipboard, there the old command does it. */
async function copy(link, told) {
  let done;
  try {
    await navigator.clipboard.writeText(link.value);
    done = true;
  } catch {
    link.select();
    done = document.execCommand("copy");
  }
  told.textContent = done ? "Copied" : "Press Ctrl+C";
}

function section(title, ...parts) {
  return made("section", {}, made("h2", {}, title), ...parts);
}

function row(...parts) {
  return made("div", { class: "row" }, ...parts);
}

function button(label, action, attributes = {}) {
  const one = made("button", { type: "button", ...attributes }, label);
  one.addEventListener("click", action);
  return one;
}

function made(name, attributes, ...parts) {
  const one = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  one.append(...parts);
  return one;
}
