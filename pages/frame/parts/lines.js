/** A number and its unit, its % or its ± stay on one line: the spaces between them are non-breaking. */

/** What is read as running text. Charts, code and formulas set their own. */
const WORDS = "[data-testid='stMarkdownContainer'], [data-testid='stCaptionContainer'], [data-testid='stMetric'], [data-testid='stTable'], [data-testid='stHeading']";
const APART = "pre, code, .katex, .js-plotly-plot, input, textarea";
/** A digit or its ± before a unit; units that pages use, longer ones first. “slot·units” may stand alone: cards are narrow. */
const JOINED = /(\d) (?=(?:%|±|×|°|slots?·(?:min|ms|s|h)|slot-hours?|points|min|ms|s|h|d|[kMGT]?B)(?![\p{L}\p{N}]))|(±) (?=\d)/gu;

/** Watch what is written, and join it before it is painted. */
export function joinNumbers() {
  join(document.body);
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      if (type === "characterData") joinText(target);
      else addedNodes.forEach(join);
  }).observe(document.getElementById("root"), { childList: true, subtree: true, characterData: true });
}

function join(node) {
  if (node.nodeType === Node.TEXT_NODE) return joinText(node);
  if (node.nodeType !== Node.ELEMENT_NODE || node.namespaceURI !== document.body.namespaceURI) return;
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) joinText(walker.currentNode);
}

function joinText(text) {
  const joined = text.data.replace(JOINED, "$1$2\u00a0");
  if (joined !== text.data && text.parentElement?.closest(WORDS) && !text.parentElement.closest(APART)) text.data = joined;
}
