/** Runs that can be watched, one above the other on one clock: play, pause, step, speed, and a time to look at. */
import { Picture } from "./animation-draw.js";
import { button, made } from "./elements.js";
import { placeAt, read, stateAt, story } from "./animation.js";

/** Mean durations in the lanes, and in a second at speed 1. */
const SPAN = 5, PACE = 0.5;
const SPEEDS = [0.25, 0.5, 1, 2, 4];
/** Seconds that an animation may go on between two pictures, and between two where less motion is wanted. */
const LONGEST = 0.1, CALM = 1;
/** Share of an animation on the screen from which it is seen. */
const SEEN = 0.4;
/** Animations that have been moved, and where each was when it was last seen: its place on the page may be made anew. */
const begun = new Set(), moments = new Map();
/** What plays the animations of the page, and what plays now, by its name. */
const players = new Set(), going = new Map();
/** Milliseconds in which an animation that has left the page may be there again. */
const MADE_ANEW = 500;

/** Make an animation of an element that has its runs, once: it may be found again while this file is loaded. */
export function mount(section) {
  if ("mounted" in section.dataset) return;
  section.dataset.mounted = "";
  new Player(section).start();
}

/** Let begin what is seen: each once, unless less motion is wanted. What played and was made anew goes on. */
function begin() {
  for (const one of players) if (!one.section.isConnected) one.leave();
  for (const one of players) if (one.visible && !one.playing && (one.goesOn() || one.isNew())) one.play();
}

class Player {
  constructor(section) {
    const { runs, unit } = JSON.parse(section.dataset.animation);
    Object.assign(this, { section, unit, runs: runs.map(read), name: section.dataset.animation, playing: false });
    this.instants = [...new Set(this.runs.flatMap((run) => run.instants))].sort((a, b) => a - b);
    this.end = this.instants.at(-1);
    this.time = moments.get(this.name) ?? this.instants[0];
    this.speed = 1;
    this.pace = PACE * this.runs[0].expected;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.build(JSON.parse(section.dataset.look));
  }

  build(look) {
    const span = SPAN * this.runs[0].expected;
    this.pictures = this.runs.map((run, place) => {
      const told = document.createTextNode("");
      const canvas = made("canvas", { role: "img", "aria-label": `Slots under ${run.name}, over time` });
      const head = made("p", { class: "animation-head" }, made("strong", {}, run.name), " ", made("span", {}, told));
      this.section.append(head, canvas);
      const unit = place === this.runs.length - 1 ? this.unit : null;
      return { told, picture: new Picture(canvas, run, look, span, unit) };
    });
    this.playButton = button("Play", () => (this.playing ? this.pause() : this.play()));
    this.bar = made("input", { type: "range", min: 0, max: this.end, step: "any", "aria-label": "Time" });
    this.clock = document.createTextNode("");
    this.told = made("p", { class: "animation-story", role: "status" });
    this.section.append(
      made("div", { class: "animation-controls", role: "group", "aria-label": this.section.getAttribute("aria-label") },
        this.playButton, button("Step back", () => this.step(-1)), button("Step", () => this.step(1)), this.speeds(),
        this.bar, made("span", { class: "animation-clock" }, this.clock)),
      this.told);
    this.section.style.setProperty("--late", look.late);
    this.section.append(legend(this.runs[0].noun, this.runs.some((run) => run.copies.some((copy) => copy.number > 0))));
    this.bar.addEventListener("input", () => this.look(+this.bar.value));
    this.bar.addEventListener("keydown", (event) => this.onKey(event));
  }

  speeds() {
    const select = made("select", { "aria-label": "Speed" },
      ...SPEEDS.map((speed) => made("option", { value: speed }, `speed ${speed} ×`)));
    select.value = 1;
    select.addEventListener("change", () => (this.speed = +select.value));
    return select;
  }

  /** Draw, and play once the animation is first seen, unless less motion is wanted. */
  start() {
    this.fit();
    this.told.textContent = this.words();
    this.resized = new ResizeObserver(() => this.fit());
    this.resized.observe(this.section);
    this.seen = new IntersectionObserver((entries) => {
      this.visible = entries.at(-1).isIntersecting;
      begin();
    }, { threshold: SEEN });
    this.seen.observe(this.section);
    players.add(this);
  }

  fit() {
    if (this.width === this.section.clientWidth) return;
    this.width = this.section.clientWidth;
    this.pictures.forEach(({ picture }) => picture.fit());
    this.draw();
  }

  /** Say whether it played when its place was made anew. */
  goesOn() {
    const before = going.get(this.name);
    return before !== undefined && !before.section.isConnected;
  }

  /** Say whether it may begin by itself. */
  isNew() {
    return !begun.has(this.name) && !this.calm.matches;
  }

  play() {
    if (this.time >= this.end) this.time = 0;
    begun.add(this.name);
    going.set(this.name, this);
    this.playing = true;
    this.playButton.textContent = "Pause";
    this.told.textContent = "";
    let before = performance.now();
    const turn = (now) => {
      if (!this.section.isConnected) return begin();
      if (!this.playing) return;
      const least = this.calm.matches ? CALM : 0, passed = (now - before) / 1000;
      if (passed >= least) {
        before = now;
        if (this.visible !== false) this.go(Math.min(passed, Math.max(LONGEST, least)));
      }
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  /** Let so many seconds pass in front of the screen. */
  go(seconds) {
    this.time = Math.min(this.end, this.time + seconds * this.speed * this.pace);
    this.draw();
    if (this.time >= this.end) this.pause();
  }

  pause() {
    this.playing = false;
    if (going.get(this.name) === this) going.delete(this.name);
    this.playButton.textContent = "Play";
    this.told.textContent = this.words();
  }

  /** Go to the next instant at which anything happens, or the one before. */
  step(by) {
    const { instants, time } = this;
    const next = by > 0 ? instants.find((at) => at > time) : instants.findLast((at) => at < time);
    this.look(next ?? (by > 0 ? this.end : 0));
  }

  look(time) {
    begun.add(this.name);
    this.time = time;
    this.pause();
    this.draw();
  }

  /** On the bar the arrow keys step, and the space bar plays. */
  onKey(event) {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
    if (event.key in steps) this.step(steps[event.key]);
    else if (event.key === " ") this.playButton.click();
    else return;
    event.preventDefault();
  }

  draw() {
    moments.set(this.name, this.time);
    this.bar.value = this.time;
    this.clock.data = `${this.time.toFixed(1)} ${this.unit}`;
    for (const { told, picture } of this.pictures) told.data = counts(picture.run, picture.draw(this.time), this.unit);
    if (!this.playing) this.bar.setAttribute("aria-valuetext", `${this.clock.data}. ${this.words()}`);
  }

  /** What happens at this very moment, under each policy. */
  words() {
    const told = this.runs.flatMap((run) => {
      const place = placeAt(run, this.time), now = run.instants[place] === this.time && story(run, place);
      return now ? [`${run.name}: ${now}.`] : [];
    });
    return told.join(" ") || "Step to see what happens next.";
  }

  /** Its place is gone; it may be made anew. */
  leave() {
    this.resized.disconnect();
    this.seen.disconnect();
    players.delete(this);
    if (!this.playing) return;
    this.playing = false;
    setTimeout(() => going.get(this.name) === this && going.delete(this.name), MADE_ANEW);
  }
}

/** What holds in a run, in words. */
function counts(run, { waiting, busy, late, extra, done, flowtime }, unit) {
  const tasks = waiting.reduce((sum, one) => sum + one, 0);
  const mean = flowtime === null || run.noun !== "job" ? "" : `, mean flowtime ${flowtime.toPrecision(3)} ${unit}`;
  return `${tasks} waiting · ${busy} of ${run.slots} slots busy (${late} with stragglers, ${extra} with extra copies) · `
    + `${done} of ${run.jobs.filter((job) => job.count).length} ${run.noun}s done${mean}`;
}

function legend(noun, copied) {
  const races = [["extra", "an extra copy"], ["cancelled", "cancelled"], ["started", "an extra copy starts"],
    ["won", "a copy finishes first and cancels another"]];
  const entries = [["original", `a copy, in the colour of its ${noun}`], ...(copied ? races : []),
    ["late", "straggler: runs for more than twice its expected time"]];
  return made("ul", { class: "animation-legend" },
    ...entries.map(([kind, words]) => made("li", {}, made("span", { class: `animation-${kind}`, "aria-hidden": "true" }), words)));
}
