/** Charts of the page as pictures: as on the screen, with the background, sharp at any size. */

const SVG = "http://www.w3.org/2000/svg";
/** Pixels of a picture to a pixel of the screen; pixels of a title that stands above its chart, and of its letters. */
const SHARP = 3, HEAD = 28, LETTERS = 15;

/** The charts that can be seen, each with its title. */
export function charts() {
  const seen = [...document.querySelectorAll("[data-testid='stMain'] .js-plotly-plot")].filter(
    (plot) => plot._fullLayout && plot.getClientRects().length,
  );
  return seen.map((plot, place) => ({ plot, title: titleOf(plot) || `Chart ${place + 1}` }));
}

function titleOf(plot) {
  const own = plot.querySelector(".gtitle");
  if (own) return own.textContent.trim();
  const before = plot.closest("[data-testid='stElementContainer']")?.previousElementSibling;
  const bold = before?.querySelector("[data-testid='stMarkdownContainer'] strong");
  const alt = plot.closest("[role='figure']")?.getAttribute("aria-label") ?? "";
  return (bold?.textContent ?? alt.split(/[.:]/)[0]).trim();
}

/** A chart as the text of an SVG file, below its title if one is given that is not in it. */
export function svgOf(plot, title = "", font = "") {
  const head = title && !plot.querySelector(".gtitle") ? HEAD : 0, { width } = plot._fullLayout;
  const height = plot._fullLayout.height + head;
  const all = element("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  const style = element("style", {});
  style.textContent = `${font} text { font-family: "Source Sans", "Source Sans 3", sans-serif; }`;
  const { backgroundColor: fill, color } = getComputedStyle(document.querySelector("[data-testid='stApp']"));
  const chart = element("g", { transform: `translate(0 ${head})` });
  all.append(style, element("rect", { width, height, fill }), chart);
  for (const layer of plot.querySelectorAll(".main-svg")) chart.append(...layer.cloneNode(true).childNodes);
  for (const part of all.querySelectorAll(".draglayer, .hoverlayer")) part.remove();
  if (head) {
    const line = element("text", { x: 8, y: HEAD - 8, fill: color, style: `font-weight: 600; font-size: ${LETTERS}px` });
    line.textContent = title;
    all.append(line);
  }
  return new XMLSerializer().serializeToString(all);
}

function element(name, attributes) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  return one;
}

/** A chart as a PNG file, with its title. */
export async function pngOf(plot, title) {
  const text = svgOf(plot, title, await embeddedFont());
  const source = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const { width, height } = picture;
    const canvas = Object.assign(document.createElement("canvas"), { width: width * SHARP, height: height * SHARP });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(source);
  }
}

/** The font of the page as a style: a picture can load nothing. */
async function embeddedFont() {
  const file = document.querySelector("link[rel='preload'][as='font']")?.href;
  if (!file) return "";
  const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `@font-face { font-family: "Source Sans"; src: url("data:font/woff2;base64,${text}"); font-weight: 200 900; }`;
}

/** Hand a file to the visitor. */
export function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
