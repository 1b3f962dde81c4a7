/**
 * Charts that are read with a finger: a handle on the axis draws a line up, which says what each curve has there; or it
 * is a control of the page, whose place the page then takes from its address. What of Plotly is not documented stands in
 * `Axes` alone.
 */
import { made } from "./elements.js";
import { open } from "./history.js";

/** Steps from one end of an axis to the other, by key; milliseconds until a control that was moved by key is taken. */
const STEPS = 50, SETTLED = 400;
/** Where readers were put, by the name of their chart and axis: a chart may be drawn anew. */
const places = new Map();

/** Give a handle to each chart that asks for one. */
export function readCharts() {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const key = plot._fullLayout?.meta;
    if (plot.reader && plot.reader.key !== key) plot.reader.leave();
    if (key && !plot.reader) plot.reader = new Reader(plot, key);
    plot.reader?.place();
  }
}

/** The horizontal axis of a chart and its curves, as Plotly has them. */
class Axes {
  constructor(plot) {
    this.plot = plot;
  }

  get across() {
    return this.plot._fullLayout.xaxis;
  }

  get box() {
    const { _offset: left, _length: wide } = this.across, { _offset: top, _length: high } = this.plot._fullLayout.yaxis;
    return { left, wide, top, high };
  }

  /** Value at a share of the axis, and the other way round. */
  at = (share) => this.across.p2d(share * this.across._length);
  share = (value) => this.across.d2p(value) / this.across._length;

  /** The lines of the first panel that can be seen. */
  get curves() {
    return this.plot._fullData.filter((one) => one.visible === true && one.type === "scatter" && /lines/.test(one.mode)
      && one.showlegend !== false && one.yaxis === "y" && one.x?.length > 1);
  }
}

class Reader {
  constructor(plot, key) {
    const asked = JSON.parse(key).reader;
    Object.assign(this, { plot, axes: new Axes(plot), asked, key });
    this.name = `${location.pathname} ${plot._fullLayout.uirevision}`;
    const label = asked.sets ? asked.label : "Read the chart at";
    this.handle = made("div", { class: "reader-handle", role: "slider", tabindex: 0, "aria-label": label });
    this.line = made("div", { class: "reader-line" });
    this.said = made("ul", { class: "reader-said", "aria-hidden": "true" });
    this.all = made("div", { class: "reader" }, this.line, this.said, this.handle);
    plot.parentElement.style.position = "relative";
    plot.parentElement.append(this.all);
    this.share = asked.sets ? this.axes.share(asked.at) : places.get(this.name) ?? asked.begin;
    this.read = places.has(this.name);
    this.handle.addEventListener("pointerdown", (event) => {
      this.handle.setPointerCapture(event.pointerId);
      this.held = true;
      event.preventDefault();
      this.handle.focus();
    });
    this.handle.addEventListener("pointermove", (event) => {
      if (!this.held) return;
      const { left, wide } = this.axes.box;
      this.move((event.clientX - plot.getBoundingClientRect().left - left) / wide);
    });
    for (const end of ["pointerup", "pointercancel"]) this.handle.addEventListener(end, () => {
      if (this.held) this.set();
      this.held = false;
    });
    this.handle.addEventListener("keydown", (event) => this.onKey(event));
    plot.on("plotly_afterplot", () => plot.reader === this && this.place());
  }

  leave() {
    this.all.remove();
    this.plot.reader = null;
  }

  onKey(event) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const { asked, axes } = this;
    this.move(asked.sets ? axes.share(this.value + by * asked.step) : this.share + by / STEPS);
    clearTimeout(this.later);
    this.later = setTimeout(() => this.set(), SETTLED);
  }

  /** What the handle is at: of a control one of its values. */
  get value() {
    const { asked, axes } = this, value = axes.at(this.share);
    if (!asked.sets) return value;
    return Math.min(asked.high, Math.max(asked.low, asked.low + asked.step * Math.round((value - asked.low) / asked.step)));
  }

  move(share) {
    this.share = Math.min(1, Math.max(0, share));
    if (this.asked.sets) this.share = Math.min(1, this.axes.share(this.value));
    else places.set(this.name, this.share);
    this.read = true;
    this.place();
  }

  /** Let the page take what was chosen, through its address. */
  set() {
    const { sets, at } = this.asked;
    if (!sets || this.value === at) return;
    const address = new URL(location);
    address.searchParams.set(sets, String(+this.value.toPrecision(12)));
    open(address);
  }

  place() {
    const { left, wide, top, high } = this.axes.box, x = left + this.share * wide, { share, read, asked } = this;
    Object.assign(this.handle.style, { left: `${x}px`, top: `${top + high}px` });
    Object.assign(this.line.style, { left: `${x}px`, top: `${top}px`, height: `${high}px`, visibility: read ? "" : "hidden" });
    this.said.style.visibility = read ? "" : "hidden";
    Object.assign(this.said.style, { top: `${top + 4}px`, background: this.plot._fullLayout.paper_bgcolor });
    const at = `${asked.before} ${short(this.value)} ${asked.unit}`, found = asked.sets ? [] : this.found();
    this.said.replaceChildren(made("li", {}, made("strong", {}, at)),
      ...found.map(([name, text, color]) => made("li", {}, made("i", { style: `background: ${color}` }), `${text} ${name}`)));
    const { offsetWidth: broad } = this.said, beside = share > 0.55 ? x - 8 - broad : x + 8; // within the chart
    this.said.style.left = `${Math.max(0, Math.min(beside, this.all.clientWidth - broad))}px`;
    const { handle } = this, ends = asked.sets ? [asked.low, asked.high] : [this.axes.at(0), this.axes.at(1)];
    handle.setAttribute("aria-valuemin", short(ends[0]));
    handle.setAttribute("aria-valuemax", short(ends[1]));
    handle.setAttribute("aria-valuenow", short(this.value));
    handle.setAttribute("aria-valuetext", [at, found.map(([name, text]) => `${text} with ${name}`).join(", ")].filter(Boolean).join(": "));
  }

  /** What each curve has at the line: its name, its value, its colour. */
  found() {
    return this.axes.curves.map((curve) => [plain(curve.name), this.valueOf(curve), curve.line.color]);
  }

  valueOf({ x, y }) {
    const { axes, asked } = this, last = x.length - 1, at = axes.share(this.value);
    if (at < axes.share(x[0])) return asked.first ?? "–";
    if (at > axes.share(x[last])) return asked.last ? `≥ ${shown(Math.floor(y[last]), asked.of)}` : "–";
    let after = 1;
    while (after < last && axes.share(x[after]) < at) after++;
    const from = axes.share(x[after - 1]), to = axes.share(x[after]), part = to > from ? (at - from) / (to - from) : 1;
    return shown(y[after - 1] + part * (y[after] - y[after - 1]), asked.of);
  }
}

const short = (value) => String(+value.toPrecision(3));
const shown = (value, of) => (of === "%" ? `${Math.round(value)} %` : short(value));

/** A name without Plotly's tags. */
const plain = (name) => new DOMParser().parseFromString(name.replace(/<br>/g, " "), "text/html").body.textContent;
