/** Sliders and policies, what a worker computes for them, three charts, and the answer in a sentence. */
import { number, relative, spread, student, unstable } from "./lab-numbers.js";
import { curve, means, usage } from "./lab-charts.js";

const STATISTICS = ["mean", "p50", "p95"];
const JOBS = {
  mean: "a job takes {} on average",
  p50: "half of the jobs finish within {}",
  p95: "19 of 20 jobs finish within {}",
};

/** An element of a page with its sliders; `charts` draws, or comes later. */
export class Lab {
  constructor(given, root, charts) {
    Object.assign(this, { given, root, charts, number: 0, samples: {} });
    this.one = (selector) => root.querySelector(selector);
    this.all = (selector) => [...root.querySelectorAll(selector)];
    this.sliders = Object.fromEntries(this.all("input[type=range]").map((one) => [one.name, one]));
    this.boxes = this.all(".policies input");
    this.told = this.one(".told");
    this.fixed = { ...given.defaults };
    for (const one of [...Object.values(this.sliders), ...this.boxes]) one.addEventListener("input", () => this.moved(one));
    for (const one of this.all(".measure input")) one.addEventListener("input", () => this.show());
    this.one("form").hidden = false;
    this.worker = new Worker(URL.createObjectURL(new Blob([given.worker], { type: "text/javascript" })));
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (error) => this.fail(error.message);
    this.worker.postMessage({ known: given.known, wasm: given.wasm });
  }

  /** Where a slider is; what its value is where there is none. */
  value(name) {
    return this.sliders[name] ? this.given.sliders[name][this.sliders[name].value] : this.fixed[name];
  }

  get policies() {
    return this.boxes.filter((one) => one.checked).map((one) => one.value);
  }

  moved(one) {
    if (!this.policies.length) one.checked = true; // without a policy there is nothing to see
    this.one(".messages").textContent = "";
    this.start();
  }

  /** Compute the setting of the controls. */
  start() {
    for (const [name, one] of Object.entries(this.sliders)) {
      this.one(`[data-value=${name}]`).textContent = this.value(name);
      one.setAttribute("aria-valuetext", this.value(name));
    }
    const unfair = this.sliders.epsilon?.closest("label");
    if (unfair) unfair.hidden = !this.policies.some((one) => one.startsWith("hopper"));
    this.setting = Object.fromEntries(Object.keys(this.fixed).map((name) => [name, this.value(name)]));
    this.samples = Object.fromEntries(this.policies.map((one) => [one, []]));
    this.number += 1;
    this.progress();
    this.worker.postMessage({ number: this.number, setting: this.setting, policies: this.policies, replications: this.given.replications });
  }

  heard({ number: which, samples, failed }) {
    if (which !== undefined && which !== this.number) return;
    if (failed) return this.fail(failed);
    for (const [policy, sample] of Object.entries(samples)) this.samples[policy].push(sample);
    this.progress();
    this.show();
  }

  fail(why) {
    this.told.textContent = `Nothing can be computed here: ${why}`;
    this.told.setAttribute("aria-busy", "false");
  }

  get done() {
    return Object.values(this.samples)[0].length;
  }

  progress() {
    const { replications } = this.given;
    this.told.setAttribute("aria-busy", this.done < replications);
    this.one("progress").value = this.done;
    this.one(".work").textContent = `${this.done} of ${replications} replications of ${this.given.known.jobs.toLocaleString("en-US")} jobs each`;
  }

  /** Whether the interval of a statistic keeps its promise; a difference needs more jobs. */
  reliable(statistic, paired) {
    const { beta, load, slots } = this.setting, { reliable, places, statistics } = this.given, place = 2 * places.indexOf(slots);
    const bits = parseInt(reliable[beta][load].slice(place, place + 2), 16) >> (paired ? 0 : statistics.length);
    return Boolean((bits >> statistics.indexOf(statistic)) & 1);
  }

  values(policy, statistic) {
    return this.samples[policy].map((one) => one.values[statistic]);
  }

  estimate(policy, statistic) {
    const { value, half } = student(this.values(policy, statistic), this.given.quantiles);
    return { value, half: this.reliable(statistic, false) && Number.isFinite(half) ? half : null };
  }

  change(policy, base, statistic) {
    return relative(this.values(policy, statistic), this.values(base, statistic), this.given.quantiles);
  }

  grown(policy) {
    return unstable(this.samples[policy], this.setting.slots, { ...this.given.known, ...this.given });
  }

  /** The answer: the largest sure difference from the first policy, and what it costs. */
  answer() {
    const [base, ...others] = this.policies, { called } = this.given, name = (one) => called[one];
    const time = (value) => `${number(value)} ${this.given.unit}`;
    if (!others.length && this.grown(base)) return `${name(base)}: the queue grew, so that flowtimes grow with the run. Choose a second policy to compare it with.`;
    if (!others.length) return `${name(base)}: ${JOBS.mean.replace("{}", time(this.estimate(base, "mean").value))}. Choose a second policy to compare it with.`;
    if (this.done === 1) {
      const means = this.policies.map((one) => `${time(this.estimate(one, "mean").value)} under ${name(one)}`);
      return `A job takes on average ${means.join(", ")} so far. One replication gives no interval: any difference may be luck.`;
    }
    if (this.grown(base)) return `No gain over ${name(base)} is stated: its queue grew.`;
    const stable = others.filter((one) => !this.grown(one)), grown = others.filter((one) => this.grown(one));
    if (!stable.length) return `Only under ${name(base)} did the queue not grow: no gain is stated.`;
    const also = grown.length ? ` Under ${grown.map(name).join(" and ")} the queue grew.` : "";
    const found = stable.flatMap((policy) => STATISTICS.filter((one) => this.reliable(one, true))
      .map((statistic) => ({ policy, statistic, change: this.change(policy, base, statistic) })))
      .filter(({ change }) => change.low > 0 || change.high < 0)
      .sort((a, b) => Math.abs(Math.log1p(b.change.value)) - Math.abs(Math.log1p(a.change.value)));
    const medians = this.reliable("mean", true) ? "" : " Only medians were compared: so few jobs do not tell differences of means here.";
    if (!found.length) return `No difference from ${name(base)} is sure after ${this.done} replications.${medians}${also}`;
    const { policy, statistic, change } = found[0];
    const [ours, its] = [policy, base].map((one) => this.estimate(one, statistic).value);
    const before = change.value < 0 ? "instead of" : "up from", cost = this.change(policy, base, "resource");
    const sure = cost.low > 0 || cost.high < 0;
    const within = `${spread(100 * Math.abs(cost.value), 50 * (cost.high - cost.low), 1)} %`;
    const price = sure ? `for ${within} ${cost.value > 0 ? "more" : "less"} slot-time per job` : "with no sure difference in slot-time";
    return `${name(policy)}: ${JOBS[statistic].replace("{}", time(ours))} ${before} ${time(its)} under ${name(base)}. It does so ${price}.${also}`;
  }

  /** What the last chart shows. */
  get measure() {
    const wanted = this.one(".measure input:checked").value, { unit } = this.given;
    if (wanted === "resource") return { of: "resource", title: "Mean slot-time of a job", label: `slot-time per job (slot·${unit})`, unit: `slot·${unit}` };
    return { of: "mean", title: "Mean flowtime", label: `mean flowtime (${unit})`, unit };
  }

  /** The line for a terminal that gives the same numbers. */
  get command() {
    const fields = Object.entries(this.given.set).map(([field, name]) => ` --set ${field}=${this.setting[name]}`).join("");
    const policies = this.policies.map((one) => ` --policy ${one.replace("hopper+", `hopper:epsilon=${this.setting.epsilon}+`)}`).join("");
    return `${this.given.command}${fields}${policies}`;
  }

  show() {
    if (!this.done) return;
    const answer = this.answer();
    if (this.told.textContent !== answer) this.told.textContent = answer; // else it would be read out again
    this.one(".command").textContent = this.command;
    if (!this.charts) return;
    for (const [place, draw] of Object.entries({ curve, usage, means })) {
      const box = this.one(`#${place}`), { figure, alt } = draw(this);
      if (place === "means") box.closest("figure").querySelector(".title").textContent = this.measure.title;
      box.style.minHeight = `${figure.layout.height}px`;
      this.charts.show(box, figure, alt);
    }
  }
}
