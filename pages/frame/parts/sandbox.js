/**
 * The sandbox: a small cluster that runs by itself. Its slots are lanes through which time moves; what a task still
 * needs lies beyond the line of now and can be pulled. Nothing is asked of the server.
 */
import { button, made } from "./elements.js";
import { Cluster, Draws, Forecast, FEWEST, JOBS as COUNTED, REPLICATIONS, WARM_UP, cost, duration, slowest } from "./sandbox-engine.js";

/** Minutes that pass in a second; before the first picture; in the lanes before now and beyond; in the trace. */
const PACE = 1, BEFORE = 90, PAST = 7, BEYOND = 5, TRACE = 60;
/** Seconds between two pictures at most, and where less motion is wanted; minutes of a step. */
const LONGEST = 0.1, CALM = 1, STEP = 0.5;
/** Jobs whose mean time is shown; minutes for which a job that is done stays to be seen. */
const LAST = 50, STAYS = 0.7;
/** CSS pixels: beside the lanes, of the row of jobs, of a task in it, between jobs, of letters. */
const LEFT = 44, RIGHT = 14, JOBS = 46, TASK = 9, GAP = 9, TEXT = 12;
/** Of a lane: on a narrow page, at least, at most; of all that is not lanes on the first screen. */
const NARROW = 500, LOW = 14, LANE = 17, HIGH = 26, OTHERS = 480;
/** CSS pixels around the end of a task in which it is caught, and from which on a pull is no tap. */
const CATCH = 16, PULL = 5;
/** Times the slowest task alone from which on the queue is told, too. */
const QUEUED = 1.15;
/** Height of the trace. */
const TRACE_HIGH = 78;

const COPIES = { off: "Copies off", on: "Copies on", late: "Only stragglers" };
const ORDERS = { first: "First come", smallest: "Smallest job" };
const RULES = { on: "Copying every task", late: "Copying only stragglers" };

/** Make a sandbox of an element that says how it is set, once. */
export function mountSandbox(section) {
  if ("mounted" in section.dataset) return;
  section.dataset.mounted = "";
  section.sandbox = new Sandbox(section, { ...JSON.parse(section.dataset.sandbox), look: JSON.parse(section.dataset.look) });
  section.sandbox.start();
}

class Sandbox {
  constructor(section, { setting, tails, shown, told, links, look }) {
    Object.assign(this, { section, setting, tails, shown, told, links, look, playing: false });
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.build();
    this.begin();
  }

  // ---- what it consists of

  build() {
    this.said = made("p", { class: "sandbox-said", role: "status" });
    this.canvas = made("canvas", { class: "sandbox-lanes", role: "img" });
    this.number = made("strong", {});
    this.counted = made("span", { class: "sandbox-small" });
    this.trace = made("canvas", { class: "sandbox-trace", "aria-hidden": "true" });
    this.playButton = button("Pause", () => (this.playing ? this.pause() : this.play()));
    this.stepButton = button("Step", () => this.step());
    const choices = [
      this.shown.includes("copies") && this.choice("copies", "Copies", COPIES),
      this.shown.includes("order") && this.choice("order", "Who goes first", ORDERS),
      this.shown.includes("load") && this.slider(),
      this.shown.includes("tail") && this.choice("tail", "Stragglers", Object.fromEntries(Object.entries(this.tails).map(([name, tail]) => [tail, name]))),
    ].filter(Boolean);
    const running = made("div", { class: "sandbox-running" },
      made("p", {}, made("span", { class: "sandbox-small" }, "A job takes"), this.number), this.trace, this.counted);
    this.section.append(
      ...(this.told ? [this.said] : []),
      made("div", { class: this.told ? "sandbox-beside" : "" }, this.canvas, ...(this.told ? [running] : [])),
      made("p", { class: "sandbox-small sandbox-hint" }, "Pull the end of a task to slow it down. Tap a task to copy it. ",
        made("span", {}, "Red: a straggler. Striped: an extra copy. ×: cancelled.")),
      made("div", { class: "sandbox-controls", role: "group", "aria-label": this.section.getAttribute("aria-label") }, ...choices,
        made("div", { class: "sandbox-buttons" }, this.playButton, this.stepButton,
          button("Slow a task", () => this.slow()), button("Copy the slowest", () => this.copySlowest()),
          button("Start again", () => this.begin()))));
    this.canvas.addEventListener("pointerdown", (event) => this.grab(event));
    this.canvas.addEventListener("pointermove", (event) => this.pull(event));
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, (event) => this.letGo(event));
  }

  choice(name, label, options) {
    const group = made("fieldset", { class: "sandbox-choice" }, made("legend", {}, label));
    for (const [value, words] of Object.entries(options)) {
      const input = made("input", { type: "radio", name: `sandbox-${name}-${serial}`, value });
      input.checked = String(this.setting[name]) === value;
      input.addEventListener("change", () => this.set({ [name]: name === "tail" ? +value : value }));
      group.append(made("label", {}, input, made("span", {}, words)));
    }
    serial++;
    return group;
  }

  slider() {
    const input = made("input", { type: "range", min: 0.05, max: 0.95, step: 0.05, value: this.setting.load, "aria-label": "Load" });
    const value = document.createTextNode("");
    const say = () => {
      value.data = `${Math.round(100 * input.value)} %`;
      input.setAttribute("aria-valuetext", `${value.data} of the slots are busy without copies`);
    };
    say();
    input.addEventListener("input", () => {
      say();
      this.set({ load: +input.value });
    });
    return made("label", { class: "sandbox-load" }, made("span", {}, "Load: ", made("b", {}, value)),
      made("span", { class: "sandbox-ends" }, "quiet ", input, " full"));
  }

  // ---- the cluster

  /** The same film from its beginning: a cluster that has run for a while. */
  begin() {
    const { setting } = this;
    this.cluster = new Cluster(new Draws(setting), setting);
    this.other = new Cluster(new Draws(setting), this.against);
    this.jobs = []; // what stands in the row of jobs, by its place
    this.past = []; // copies that are over
    this.lines = [[], []]; // times of jobs that are done, in this cluster and in the other
    do this.go(BEFORE); while (this.lines[0].length < LAST); // few jobs come to a quiet cluster
    this.forecast();
    this.fit();
    this.draw();
  }

  /** What the setting is held against: the same jobs without copies, or in the order they come. */
  get against() {
    return { ...this.setting, ...(this.shown.includes("order") ? { order: "first" } : { copies: "off" }) };
  }

  set(change) {
    Object.assign(this.setting, change);
    this.cluster.set(change);
    this.other.set({ ...change, copies: this.against.copies, order: this.against.order });
    this.forecast();
    this.draw();
    if (this.links) this.write();
  }

  /** Let the address say how it is set, as far as it is not as usual. */
  write() {
    const { setting, links, tails } = this, address = new URL(location);
    const said = { copies: setting.copies, load: setting.load, tail: Object.keys(tails).find((name) => tails[name] === setting.tail) };
    for (const [name, value] of Object.entries(said))
      value === links[name] ? address.searchParams.delete(name) : address.searchParams.set(name, value);
    history.replaceState(history.state, "", address);
  }

  /** Let minutes pass, in both clusters. */
  go(minutes) {
    const { cluster, other } = this;
    cluster.until(cluster.now + minutes);
    other.until(cluster.now);
    this.past = [...this.past, ...cluster.ended.splice(0)].filter((copy) => copy.over > cluster.now - PAST);
    [cluster, other].forEach((one, line) => {
      for (const job of one.done.splice(0)) this.lines[line].push([job.done, job.done - job.arrival]);
      while (this.lines[line][LAST]?.[0] < cluster.now - TRACE) this.lines[line].shift(); // a mean needs those before it
    });
    this.jobs = this.jobs.map((job) => (job && (job.done === undefined || job.done > cluster.now - STAYS) ? job : null));
    for (const job of cluster.jobs) {
      if (!job.begun || this.jobs.includes(job)) continue;
      const free = this.jobs.indexOf(null);
      this.jobs[free < 0 ? this.jobs.length : free] = job;
    }
    while (this.jobs.length && !this.jobs.at(-1)) this.jobs.pop();
  }

  // ---- what it says

  forecast() {
    if (!this.told) return;
    const { setting } = this;
    this.overloaded = setting.copies === "on" && setting.load * cost(setting) >= 1;
    this.coming = this.overloaded ? null : new Forecast(setting, this.against);
    if (this.overloaded) this.say();
  }

  /** Simulate on, a replication at each picture. */
  foresee() {
    if (!this.coming) return;
    this.coming.more();
    const { count } = this.coming;
    if (count >= FEWEST) this.say();
    if (count >= REPLICATIONS) this.coming = null;
  }

  say() {
    const found = this.overloaded ? null : this.coming.found, { setting } = this;
    const said = this.shown.includes("order") ? inOrder(setting, found) : aboutCopies(setting, found);
    write(this.said, said);
    write(this.counted, found ? inNumbers(setting, this.against, found) : "");
  }

  // ---- what moves it

  start() {
    new ResizeObserver(() => { this.fit(); this.draw(); }).observe(this.section);
    new IntersectionObserver((entries) => (this.visible = entries.at(-1).isIntersecting)).observe(this.canvas);
    this.calm.matches ? this.pause() : this.play();
    let before = performance.now(), shown = 0;
    const turn = (now) => {
      if (!this.section.isConnected) return;
      const passed = Math.min((now - before) / 1000, this.calm.matches ? CALM : LONGEST);
      before = now;
      requestAnimationFrame(turn);
      if (this.visible === false) return;
      this.foresee();
      if (!this.playing || this.held) return;
      shown += passed;
      if (this.calm.matches && shown < CALM) return; // a picture a second
      this.go(shown * PACE);
      shown = 0;
      this.draw();
    };
    requestAnimationFrame(turn);
  }

  play() {
    this.playing = true;
    this.playButton.textContent = "Pause";
    this.stepButton.hidden = true;
  }

  pause() {
    this.playing = false;
    this.playButton.textContent = "Play";
    this.stepButton.hidden = false;
  }

  step() {
    this.go(STEP);
    this.draw();
  }

  /** Make the task that began last a straggler. */
  slow() {
    const copies = this.cluster.slots.filter((copy) => copy && !copy.late);
    if (!copies.length) return;
    const copy = copies.reduce((one, other) => (other.start > one.start ? other : one));
    this.cluster.stretch(copy, copy.lateAt + BEYOND);
    this.draw();
  }

  copySlowest() {
    const copies = this.cluster.slots.filter((copy) => copy && copy.task.copies.length < 2);
    if (!copies.length) return;
    this.cluster.copy(copies.reduce((one, other) => (other.end > one.end ? other : one)).task);
    this.draw();
  }

  // ---- hands

  grab(event) {
    const lane = Math.floor((event.offsetY / this.larger - JOBS) / this.lane), copy = this.cluster.slots[lane];
    if (lane < 0 || !copy) return;
    const at = event.offsetX / this.larger, end = Math.min(this.x(copy.end), this.wide - RIGHT);
    if (at < this.x(copy.start) - CATCH || at > end + CATCH) return;
    this.held = { copy, at, end: Math.min(copy.end, this.cluster.now + BEYOND), moved: false };
    this.canvas.setPointerCapture(event.pointerId);
    this.draw();
  }

  pull(event) {
    const { held, cluster } = this, at = event.offsetX / this.larger;
    if (!held) {
      const copy = cluster.slots[Math.floor((event.offsetY / this.larger - JOBS) / this.lane)];
      const near = copy && Math.abs(at - Math.min(this.x(copy.end), this.wide - RIGHT)) < CATCH;
      this.canvas.style.cursor = near ? "ew-resize" : copy ? "pointer" : "";
      return;
    }
    held.moved ||= Math.abs(at - held.at) > PULL;
    if (!held.moved) return;
    cluster.stretch(held.copy, held.end + (at - held.at) / this.scale);
    this.draw();
  }

  letGo(event) {
    if (!this.held) return;
    const { copy, moved } = this.held;
    this.held = null;
    if (!moved && event.type === "pointerup") this.cluster.copy(copy.task);
    this.draw();
  }

  // ---- what it looks like

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
    const same = this.setting.copies === this.against.copies && this.setting.order === this.against.order;
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

let serial = 0;

/** Change a text only if it is another: the frame looks at a page when nothing has changed for a while. */
function write(element, text) {
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

/** What copies do to these jobs, in a sentence. */
export function aboutCopies({ copies, tasks, tail, largest }, found) {
  if (!found) return "Copying every task overloads this cluster: tasks need more slots than there are, and the queue grows.";
  if (copies === "off")
    return found.own > QUEUED * slowest({ tasks, tail, largest })
      ? `Jobs take ${found.own.toFixed(1)} min: ${slowest({ tasks, tail, largest }).toFixed(1)} for the slowest task, the rest in the queue.`
      : `Jobs take ${found.own.toFixed(1)} min: each waits for its slowest task, though half of the tasks take under ${duration(0.5, tail, largest).toFixed(1)} min.`;
  const by = `${Math.abs(found.change).toFixed(0)} %`, sure = Math.abs(found.change) > found.half;
  if (!sure || by === "0 %") return `${RULES[copies]} changes little here: it gains as much time as it costs.`;
  if (found.change > 0) return `${RULES[copies]} makes jobs ${by} slower: copies take the slots that other jobs need.`;
  return `${RULES[copies]} makes jobs ${by} faster: ${copies === "on" ? "idle slots run the copies." : "a few copies end the longest waits."}`;
}

/** What the order of jobs does to them. */
export function inOrder({ order }, found) {
  if (!found) return "Copying every task overloads this cluster: tasks need more slots than there are, and the queue grows.";
  if (order === "first") return `Jobs take ${found.own.toFixed(1)} min when they are served in the order in which they come.`;
  if (Math.abs(found.change) < Math.max(found.half, 0.5)) return "Serving the smallest job first changes little: few jobs wait for a slot.";
  return `Serving the smallest job first makes jobs ${Math.abs(found.change).toFixed(0)} % ${found.change < 0 ? "faster" : "slower"}.`;
}

function inNumbers(setting, against, { own, other, change, half }) {
  const same = setting.copies === against.copies && setting.order === against.order;
  const runs = `over runs of ${COUNTED - WARM_UP} jobs`;
  if (same) return `Mean of the last ${LAST} jobs; ${runs} ${own.toFixed(2)} min.`;
  const without = setting.order === against.order ? "without copies" : "first come, first served";
  return `Mean of the last ${LAST} jobs; dashed: ${without}. ${own.toFixed(2)} instead of ${other.toFixed(2)} min ${runs} `
    + `(${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(1)} ± ${half.toFixed(1)} %).`;
}

/** Give a canvas its size on this screen; return its pen. */
function sized(canvas, wide, high, larger) {
  const scale = (devicePixelRatio || 1) * larger, pen = canvas.getContext("2d");
  canvas.style.height = `${high * larger}px`;
  Object.assign(canvas, { width: wide * scale, height: high * scale });
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  return pen;
}
