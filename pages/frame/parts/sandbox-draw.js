/** What a sandbox looks like: its jobs, its slots as lanes through which time moves, and the trace of its number. */
import { alike } from "./sandbox-engine.js";
import { LAST } from "./sandbox-words.js";

/** Minutes in the lanes before now and beyond; in the trace. */
export const PAST = 7;
export const BEYOND = 5;
export const TRACE = 60;
/** CSS pixels: of the row of jobs, and right of the lanes; left of them, of a task, between jobs, of letters. */
export const JOBS = 46;
export const RIGHT = 14;
const LEFT = 44, TASK = 9, GAP = 9, TEXT = 12;
/** Of a lane: on a narrow page, at least, at most; of all that is not lanes on the first screen. */
const NARROW = 500, LOW = 14, LANE = 17, HIGH = 26, OTHERS = 480;
/** Height of the trace. */
const TRACE_HIGH = 78;

/** The drawing half of a sandbox, which has the `cluster`, its `jobs`, `past` copies and `lines` of times. */
export class Lanes {
  /** Take the width there is, as large as the letters of the page are. */
  fit() {
    this.larger = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.wide = this.canvas.clientWidth / this.larger;
    const room = (innerHeight / this.larger - OTHERS) / this.setting.slots;
    this.lane = this.wide < NARROW ? LOW : Math.round(Math.min(HIGH, Math.max(LANE, room)));
    this.high = JOBS + this.lane * this.setting.slots + TEXT + 6;
    this.scale = (this.wide - LEFT - RIGHT) / (PAST + BEYOND);
    this.pen = sized(this.canvas, this.wide, this.high, this.larger);
    this.traceWide = this.trace.clientWidth / this.larger;
    this.tracePen = sized(this.trace, this.traceWide, TRACE_HIGH, this.larger);
    for (const pen of [this.pen, this.tracePen]) pen.font = `${TEXT}px ${getComputedStyle(this.section).fontFamily}`;
  }

  x(time) {
    return LEFT + (time - this.cluster.now + PAST) * this.scale;
  }

  color(job) {
    return this.look.jobs[job.number % this.look.jobs.length];
  }

  draw() {
    const { pen, cluster, look } = this;
    if (!(this.wide > 0)) return;
    pen.clearRect(0, 0, this.wide, this.high);
    this.drawJobs();
    this.words("slots", 0, JOBS + 11);
    pen.globalAlpha = 0.07;
    pen.fillStyle = look.ink;
    for (let lane = 0; lane < cluster.slots.length; lane++)
      pen.fillRect(LEFT, JOBS + lane * this.lane + 1, this.wide - LEFT - RIGHT, this.lane - 2);
    pen.globalAlpha = 1;
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, JOBS, this.wide - LEFT - RIGHT, this.high);
    pen.clip();
    for (const copy of this.past) this.bar(copy, copy.lane, copy.over);
    for (const copy of cluster.slots) if (copy) this.future(copy);
    for (const copy of cluster.slots) if (copy) this.bar(copy, copy.slot, cluster.now);
    pen.restore();
    const now = this.x(cluster.now);
    pen.fillStyle = look.ink;
    pen.fillRect(now - 1, JOBS - 2, 2, this.lane * cluster.slots.length + 4);
    this.words("now", now, this.high - 4, "center");
    this.words("what tasks still need", this.x(cluster.now + BEYOND), this.high - 4, "right");
    this.words(`${PAST} min ago`, LEFT, this.high - 4);
    this.drawNumber();
    const waiting = cluster.waiting.reduce((sum, job) => sum + job.tasks.length - job.begun, 0);
    this.canvas.setAttribute("aria-label",
      `${cluster.slots.length} slots, ${cluster.slots.length - cluster.free} busy, ${cluster.slots.filter((copy) => copy?.late).length} `
      + `with stragglers; ${cluster.jobs.length} jobs in the cluster, ${waiting} tasks waiting`);
  }

  /** A row of squares for each job: its tasks, filled once done, red where one straggles. */
  drawJobs() {
    const { pen, look } = this;
    this.words("jobs", 0, 18);
    const all = [...this.jobs, ...this.cluster.jobs.filter((job) => !job.begun)]; // those that wait stand behind
    let x = LEFT, place = 0;
    for (; place < all.length; place++) {
      const job = all[place], wide = (job ? job.tasks.length : 3) * (TASK + 1);
      if (x + wide > this.wide - RIGHT - 60) break;
      if (job) {
        pen.fillStyle = pen.strokeStyle = this.color(job);
        job.tasks.forEach((task, number) => this.square(task, x + number * (TASK + 1), 8));
        pen.globalAlpha = 1;
        if (job.done !== undefined) this.words("✓", x + wide / 2, 32, "center");
        else if (job.left === 1 && job.tasks.length > 1 && job.tasks.some(straggles)) this.words("waits", x + wide / 2, 32, "center", look.late);
      }
      x += wide + GAP;
    }
    const more = all.slice(place).filter((job) => job && job.done === undefined).length;
    if (more) this.words(`+ ${more} more`, this.wide - RIGHT, 18, "right");
  }

  square(task, x, y) {
    const { pen, look } = this, late = straggles(task), begun = task.copies.length > 0;
    pen.globalAlpha = 1;
    if (task.done) pen.fillRect(x, y, TASK, TASK);
    else if (late) {
      const own = pen.fillStyle;
      pen.fillStyle = look.late;
      pen.fillRect(x, y - 2, TASK, TASK + 4);
      pen.fillStyle = own;
    } else {
      pen.globalAlpha = begun ? 1 : 0.4;
      pen.lineWidth = 1.5;
      pen.strokeRect(x + 1, y + 1, TASK - 2, TASK - 2);
      if (begun) pen.fillRect(x, y + TASK / 2, TASK, TASK / 2);
    }
  }

  bar(copy, lane, until) {
    const { pen, look } = this, from = Math.max(copy.start, this.cluster.now - PAST - 1);
    const left = this.x(from), wide = Math.max(1.5, this.x(until) - left - 0.5), top = JOBS + lane * this.lane + 1, high = this.lane - 2;
    const beaten = copy.slot < 0 && !copy.won;
    pen.globalAlpha = beaten ? 0.35 : 1;
    pen.fillStyle = copy.late && !beaten ? look.late : this.color(copy.task.job);
    pen.fillRect(left, top, wide, high);
    if (copy.number > 0) { // an extra copy is striped
      pen.fillStyle = look.paper;
      for (let x = left + 3; x < left + wide - 1; x += 6) pen.fillRect(x, top, 2, high);
    }
    if (copy.late && !beaten) { // what turns red keeps the colour of its job at its begin
      pen.fillStyle = this.color(copy.task.job);
      pen.fillRect(left, top, 5, high);
    }
    pen.globalAlpha = 1;
    if (beaten) this.cross(left + wide, top + high / 2);
  }

  cross(x, y) {
    const { pen, look } = this;
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const side of [-1, 1]) {
      pen.moveTo(x - 3, y - 3 * side);
      pen.lineTo(x + 3, y + 3 * side);
    }
    pen.stroke();
  }

  /** What a running copy still needs, with an end that can be pulled. */
  future(copy) {
    const { pen, look, cluster } = this, now = this.x(cluster.now), last = this.x(cluster.now + BEYOND);
    const end = Math.min(this.x(copy.end), last), top = JOBS + copy.slot * this.lane + 2, high = this.lane - 4;
    pen.strokeStyle = pen.fillStyle = copy.end > copy.lateAt && copy.number === 0 ? look.late : this.color(copy.task.job);
    pen.globalAlpha = 0.3;
    pen.fillRect(now, top, end - now, high);
    pen.globalAlpha = 1;
    const grip = this.held?.copy === copy ? 6 : 3;
    if (copy.end <= cluster.now + BEYOND) pen.fillRect(end - grip, top - 1, grip, high + 2);
    else { // it ends later than can be seen
      pen.beginPath();
      pen.moveTo(last - 8, top);
      pen.lineTo(last, top + high / 2);
      pen.lineTo(last - 8, top + high);
      pen.fill();
    }
  }

  words(text, x, y, align = "left", color = this.look.ink) {
    Object.assign(this.pen, { textAlign: align, fillStyle: color });
    this.pen.fillText(text, x, y);
  }

  /** The mean time of the last jobs, and how it went, beside the same jobs in the other cluster. */
  drawNumber() {
    if (!this.told) return;
    const { tracePen: pen, look, cluster, traceWide: wide } = this;
    const [own, other] = this.lines.map((line) => moving(line).filter(([at]) => at > cluster.now - TRACE));
    write(this.number, inMinutes(moving(this.lines[0]).at(-1)[1]));
    pen.clearRect(0, 0, wide, TRACE_HIGH);
    const most = Math.ceil(Math.max(4, ...[...own, ...other].map(([, time]) => time)));
    const top = TEXT + 2, high = TRACE_HIGH - TEXT - 6; // below the words
    pen.fillStyle = look.ink;
    pen.textAlign = "left";
    pen.fillText(`${most} min`, 0, TEXT - 2);
    pen.fillText(`${TRACE} min ago`, 0, TRACE_HIGH - 3);
    pen.textAlign = "right";
    pen.fillText("now", wide, TRACE_HIGH - 3);
    pen.fillRect(0, high, wide, 1);
    pen.globalAlpha = 0.2;
    pen.fillRect(0, top, wide, 1);
    pen.globalAlpha = 1;
    const same = alike(this.setting, this.against);
    for (const [line, color, dash] of [[other, look.ink, [3, 3]], [own, look.accent, []]]) {
      if (same && line === other) continue;
      pen.strokeStyle = color;
      pen.lineWidth = dash.length ? 1.5 : 2.5;
      pen.setLineDash(dash);
      pen.beginPath();
      for (const [at, time] of line) pen.lineTo(wide * (1 - (cluster.now - at) / TRACE), high - ((high - top) * time) / most);
      pen.stroke();
    }
    pen.setLineDash([]);
  }
}

/** Change a text only if it is another: the frame looks at a page when nothing has changed for a while. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const straggles = (task) => !task.done && task.copies.length > 0 && task.copies[0].late;

const inMinutes = (time) => `${time.toFixed(time < 100 ? 1 : 0)} min`;

/** Mean time of the last jobs up to each. */
function moving(line) {
  let sum = 0;
  return line.map(([at, time], place) => {
    sum += time - (place >= LAST ? line[place - LAST][1] : 0);
    return [at, sum / Math.min(place + 1, LAST)];
  });
}

/** Give a canvas its size on this screen; return its pen. */
function sized(canvas, wide, high, larger) {
  const scale = (devicePixelRatio || 1) * larger, pen = canvas.getContext("2d");
  canvas.style.height = `${high * larger}px`;
  Object.assign(canvas, { width: wide * scale, height: high * scale });
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return pen;
}
