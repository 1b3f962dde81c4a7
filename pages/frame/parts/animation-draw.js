/** One run as a picture: waiting tasks, and the slots as lanes through which time moves to the left. */
import { beaten, isCancelled, isLate, placeAt, stateAt } from "./animation.js";

/** CSS pixels: beside the lanes, of the row of waiting tasks, below the lanes; of all lanes, and of one at least. */
const LEFT = 58, RIGHT = 10, QUEUE = 22, AXIS = 20, LANES = 180, LANE = 6, WIDE = 14, WAITING = 7, TEXT = 12;
/** Opacity of a copy that was cancelled, and of a hatch. */
const PALE = 0.4, HATCH = 0.75;
/** CSS pixels between labels of the axis, and of the letters of a page on a screen of usual size. */
const APART = 70, LETTERS = 16;

/**
 * Draws a run onto a canvas; `span` is how much time the lanes show, `unit` that of the axis, if it has one.
 */
export class Picture {
  constructor(canvas, run, look, span, unit) {
    Object.assign(this, { canvas, run, look, span, unit, lane: Math.min(WIDE, Math.max(LANE, LANES / run.slots)) });
    this.most = Math.max(1, ...run.instants.map((_, place) => total(stateAt(run, place).waiting)));
    this.pen = canvas.getContext("2d");
    this.font = getComputedStyle(canvas).fontFamily;
  }

  /** Take the width there is, as large as the letters of the page are. */
  fit() {
    const larger = parseFloat(getComputedStyle(document.documentElement).fontSize) / LETTERS;
    const scale = (devicePixelRatio || 1) * larger;
    this.width = this.canvas.clientWidth / larger;
    this.height = QUEUE + this.lane * this.run.slots + (this.unit ? AXIS : 4);
    this.canvas.style.height = `${this.height * larger}px`;
    Object.assign(this.canvas, { width: this.width * scale, height: this.height * scale });
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.hatch = this.pen.createPattern(hatched(this.look.paper, scale), "repeat");
    this.hatch.setTransform(new DOMMatrix().scale(1 / scale));
  }

  /** Draw the run at a time; return its state then. */
  draw(time) {
    const { pen, run, span } = this, place = placeAt(run, time), state = stateAt(run, place);
    this.from = Math.max(0, time - span);
    pen.clearRect(0, 0, this.width, this.height);
    pen.font = `${TEXT}px ${this.font}`;
    this.axis();
    this.queue(state.waiting);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, QUEUE, this.width - LEFT - RIGHT, this.lane * run.slots);
    pen.clip();
    const seen = run.copies.filter((copy) => copy.start <= place && this.until(copy, time) >= this.from);
    seen.forEach((copy) => this.bar(copy, place, time));
    seen.forEach((copy) => this.marks(copy, place, time));
    pen.restore();
    this.now(time);
    return state;
  }

  x(time) {
    return LEFT + ((time - this.from) / this.span) * (this.width - LEFT - RIGHT);
  }

  y(slot) {
    return QUEUE + slot * this.lane;
  }

  /** Until when a copy is drawn: its end, or now; a run that is over goes no further. */
  until(copy, time) {
    const { instants } = this.run;
    return Math.min(time, instants[Math.min(copy.end, instants.length - 1)]);
  }

  /** Where a copy is drawn. */
  box(copy, time) {
    const left = this.x(this.run.instants[copy.start]), right = this.x(this.until(copy, time));
    return { left, right, wide: Math.max(1, right - left - 0.5), top: this.y(copy.slot) + 1, high: this.lane - 2 };
  }

  bar(copy, place, time) {
    const { pen, look } = this, { left, wide, top, high } = this.box(copy, time);
    pen.globalAlpha = isCancelled(copy, place) ? PALE : 1;
    pen.fillStyle = look.jobs[copy.job % look.jobs.length];
    pen.fillRect(left, top, wide, high);
    if (isLate(copy, place)) {
      const late = this.x(this.run.instants[copy.late]);
      pen.fillStyle = look.late;
      pen.fillRect(late, top, left + wide - late, high);
    }
    pen.fillStyle = this.hatch;
    if (copy.number > 0) pen.fillRect(left, top, wide, high);
    pen.globalAlpha = 1;
  }

  /** A cross where a copy was cancelled, lines between siblings. */
  marks(copy, place, time) {
    const { pen, run } = this, { right, top, high } = this.box(copy, time);
    pen.strokeStyle = this.look.ink;
    if (isCancelled(copy, place)) this.cross(right, top + high / 2);
    if (copy.number > 0) this.link(copy.siblings[0], copy, run.instants[copy.start], [2, 2]);
    if (copy.end <= place) for (const one of beaten(copy)) this.link(copy, one, run.instants[copy.end], []);
  }

  cross(x, y) {
    const { pen } = this, r = 3.5;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const side of [-1, 1]) {
      pen.moveTo(x - r, y - side * r);
      pen.lineTo(x + r, y + side * r);
    }
    pen.stroke();
  }

  /** A line between the lanes of two copies: one was started for the other, or beat it. */
  link(one, other, time, dash) {
    const { pen } = this, x = this.x(time), middle = this.lane / 2;
    pen.lineWidth = 1;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(x, this.y(one.slot) + middle);
    pen.lineTo(x, this.y(other.slot) + middle);
    pen.stroke();
    pen.setLineDash([]);
  }

  /** A square for each task that waits, in the colour of its job, the oldest job first. */
  queue(waiting) {
    const { pen, look } = this;
    const width = this.width - LEFT - RIGHT, step = Math.min(WAITING, width / this.most), gap = step > 4 ? 1 : 0;
    this.label("waiting", LEFT - 8, QUEUE / 2 - 2, "right");
    let x = LEFT;
    waiting.forEach((count, job) => {
      pen.fillStyle = look.jobs[job % look.jobs.length];
      for (let i = 0; i < count; i++, x += step) pen.fillRect(x, 4, step - gap, QUEUE - 12);
    });
  }

  /** Lanes, their numbers, and the time below. */
  axis() {
    const { pen, run, look } = this, bottom = this.y(run.slots), right = this.width - RIGHT;
    pen.globalAlpha = 0.15;
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1;
    pen.strokeRect(LEFT - 0.5, QUEUE - 0.5, right - LEFT + 1, bottom - QUEUE + 1);
    pen.globalAlpha = 1;
    this.label("slot 1", LEFT - 8, this.y(0.5), "right");
    this.label(`${run.slots}`, LEFT - 8, this.y(run.slots - 0.5), "right");
    if (!this.unit) return;
    const step = nice((this.span * APART) / (right - LEFT));
    for (let at = Math.ceil(this.from / step) * step; this.x(at) <= right - 30; at += step)
      this.label(`${+at.toPrecision(6)} ${this.unit}`, this.x(at), bottom + AXIS / 2 + 2, "center");
  }

  now(time) {
    const { pen, look } = this, x = this.x(time);
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, QUEUE - 3);
    pen.lineTo(x, this.y(this.run.slots) + 3);
    pen.stroke();
  }

  label(text, x, y, align) {
    Object.assign(this.pen, { fillStyle: this.look.ink, textAlign: align, textBaseline: "middle" });
    this.pen.fillText(text, x, y);
  }
}

const total = (counts) => counts.reduce((sum, one) => sum + one, 0);

/** The least of 1, 2, 5, 10, 20, ... that is not below a number. */
function nice(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((one) => one * power >= least);
}

/** A tile of the hatch of extra copies, over the colour of their job. */
function hatched(paper, scale) {
  const size = 6 * scale, tile = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const pen = tile.getContext("2d");
  Object.assign(pen, { strokeStyle: paper, lineWidth: 1.8 * scale, globalAlpha: HATCH });
  for (const shift of [-size, 0, size]) {
    pen.beginPath();
    pen.moveTo(shift - 1, size + 1);
    pen.lineTo(shift + size + 1, -1);
    pen.stroke();
  }
  return tile;
}
