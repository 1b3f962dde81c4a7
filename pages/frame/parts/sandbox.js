/**
 * The sandbox: a small cluster that runs by itself. Its slots are lanes through which time moves; what a task still
 * needs lies beyond the line of now and can be pulled. Nothing is asked of the server.
 */
import { button, made } from "./elements.js";
import { BEYOND, JOBS, Lanes, PAST, RIGHT, TRACE, write } from "./sandbox-draw.js";
import { Cluster, Draws, Forecast, FEWEST, REPLICATIONS, cost } from "./sandbox-engine.js";
import { LAST, aboutCopies, inNumbers, inOrder } from "./sandbox-words.js";

/** Minutes that pass in a second; before the first picture. */
const PACE = 1, BEFORE = 90;
/** Seconds between two pictures at most, and where less motion is wanted; minutes of a step. */
const LONGEST = 0.1, CALM = 1, STEP = 0.5;
/** Minutes for which a job that is done stays to be seen. */
const STAYS = 0.7;
/** CSS pixels around the end of a task in which it is caught, and from which on a pull is no tap. */
const CATCH = 16, PULL = 5;

const COPIES = { off: "Copies off", on: "Copies on", late: "Only stragglers" };
const ORDERS = { first: "First come", smallest: "Smallest job" };
/** Of a choice, whose radio buttons have a name of their own. */
let serial = 0;

/** Make a sandbox of an element that says how it is set, once. */
export function mountSandbox(section) {
  if ("mounted" in section.dataset) return;
  section.dataset.mounted = "";
  section.sandbox = new Sandbox(section, { ...JSON.parse(section.dataset.sandbox), look: JSON.parse(section.dataset.look) });
  section.sandbox.start();
}

class Sandbox extends Lanes {
  constructor(section, { setting, tails, shown, told, links, look }) {
    super();
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
    write(this.counted, inNumbers(setting, this.against, found));
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

  /** The running copy in the lane that is pointed at, if there is one, and where its end is drawn. */
  pointed(event) {
    const copy = this.cluster.slots[Math.floor((event.offsetY / this.larger - JOBS) / this.lane)];
    return copy ? [copy, Math.min(this.x(copy.end), this.wide - RIGHT)] : [];
  }

  grab(event) {
    const [copy, end] = this.pointed(event), at = event.offsetX / this.larger;
    if (!copy || at < this.x(copy.start) - CATCH || at > end + CATCH) return;
    this.held = { copy, at, end: Math.min(copy.end, this.cluster.now + BEYOND), moved: false };
    this.canvas.setPointerCapture(event.pointerId);
    this.draw();
  }

  pull(event) {
    const { held, cluster } = this, at = event.offsetX / this.larger;
    if (!held) {
      const [copy, end] = this.pointed(event), near = copy && Math.abs(at - end) < CATCH;
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
}
