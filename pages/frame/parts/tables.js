/** A table is one stop of the Tab key and its tools are another: arrow keys move inside, where Tab went cell by cell. */

const TABLE = "[data-testid='stDataFrame']";
const STOPS =
  "a[href], button, input, select, textarea, summary, canvas[tabindex], [tabindex]:not([tabindex='-1'])";

export function leaveTables() {
  addEventListener("keydown", move, true); // before the table sees the key
}

function move(event) {
  const from = document.activeElement;
  const table = from?.closest(TABLE);
  if (!table || event.altKey || event.ctrlKey || event.metaKey) return;
  const grid = table.querySelector("canvas[tabindex]");
  const tools = [...table.querySelectorAll("button")].filter(seen);
  const next = event.key === "Tab" ? leaving(from, table, grid, tools, event.shiftKey) : beside(from, tools, event.key);
  if (!next) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  next.focus();
}

/** Where Tab leads from a table or from its tools; elsewhere in it, such as in a search, it is left to the browser. */
function leaving(from, table, grid, tools, back) {
  if (from === grid) return back ? (tools[0] ?? outside(table, true)) : outside(table, false);
  if (tools.includes(from)) return back ? outside(table, true) : grid;
  return null;
}

/** The tool beside one. */
function beside(from, tools, key) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  return step && tools.includes(from) ? tools[(tools.indexOf(from) + step + tools.length) % tools.length] : null;
}

/** The last stop before a table, or the first after it. */
function outside(table, before) {
  const side = before ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
  const all = [...document.querySelectorAll(STOPS)].filter(
    (one) => one.tabIndex >= 0 && !one.disabled && seen(one) && !one.contains(table) && !table.contains(one),
  );
  const there = all.filter((one) => table.compareDocumentPosition(one) & side);
  return before ? there.at(-1) : there[0];
}

function seen(one) {
  return one.getClientRects().length > 0;
}
