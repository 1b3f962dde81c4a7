/** The Lab: sliders and policies, what a worker computes for them, three charts, and the answer in a sentence. */
import { Charts } from "./charts.js";

const STATISTICS = ["mean", "p50", "p95"];
const JOBS = {
  mean: "a job takes {} on average",
  p50: "half of the jobs finish within {}",
  p95: "19 of 20 jobs finish within {}",
};
const OPACITY = { original: 0.35, extra: 0.95 };
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
/** Height of a policy's panel, and of what is around panels, in pixels. */
const PANEL = 64, AROUND = 76;

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const average = (numbers) => sum(numbers) / numbers.length;

/** A number with so many digits that count, whole where it has more before its point. */
export function number(value, digits = 3) {
  return Math.abs(value) >= 10 ** digits ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(digits)));
}

/** The mean of replications with half the width of Student's 95 % interval, infinite for one; `quantiles` by degrees of freedom. */
export function student(values, quantiles) {
  const value = average(values), degrees = values.length - 1;
  if (!degrees) return { value, half: Infinity };
  const spread = Math.sqrt(sum(values.map((one) => (one - value) ** 2)) / degrees);
  return { value, half: (quantiles[degrees - 1] * spread) / Math.sqrt(values.length) };
}

/** By what share the mean of values lies above that of references, with the ends of its paired interval. */
export function relative(values, references, quantiles) {
  const y = average(values), x = average(references);
  const { value, half } = student(values.map((one, place) => Math.log(y / x) + one / y - references[place] / x), quantiles);
  return { value: Math.expm1(value), low: Math.expm1(value - half), high: Math.expm1(value + half) };
}

/** Whether the queue grew through the runs of a policy, as `sim.model.result` tells it. */
export function unstable(samples, slots, { growth, saturated, meanTasks, jobs }) {
  const all = [0, 2].map((kind) => samples[0].series[kind].map((_, at) => average(samples.map((one) => one.series[kind][at]))));
  const quarter = all[0].length / 4;
  const [busy, waiting] = all.map((one) => [0, 1, 2, 3].map((place) => average(one.slice(place * quarter, (place + 1) * quarter))));
  const grows = waiting[1] < waiting[2] && waiting[2] < waiting[3] && waiting[3] - waiting[1] > (growth * meanTasks * jobs) / 2;
  return grows && busy[3] > saturated * slots;
}

class Lab {
  constructor(given) {
    Object.assign(this, { given, number: 0, samples: {} });
    this.sliders = Object.fromEntries([...document.querySelectorAll("input[type=range]")].map((one) => [one.name, one]));
    this.boxes = [...document.querySelectorAll("#policies input")];
    this.told = document.querySelector("#told");
    this.work = document.querySelector("#work");
    this.messages = document.querySelector("#messages");
    this.seed = 1;
    this.read();
    for (const one of [...Object.values(this.sliders), ...this.boxes]) one.addEventListener("input", () => this.moved(one));
    for (const one of document.querySelectorAll("#measure input")) one.addEventListener("input", () => this.show());
    addEventListener("hashchange", () => { this.read(); this.start(); });
    this.worker = new Worker(URL.createObjectURL(new Blob([given.worker], { type: "text/javascript" })));
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (error) => this.fail(error.message);
    this.worker.postMessage({ known: given.known, wasm: given.wasm });
    document.querySelector("#controls").hidden = false;
    this.start();
    if (!given.beside) this.draws();
  }

  /** Load the script that draws, unless that is under way: after the first number, which it would delay. */
  load() {
    if (this.loading || this.charts) return;
    this.loading = document.createElement("script");
    this.loading.src = this.given.beside;
    this.loading.onload = this.loading.onerror = () => this.draws();
    document.body.append(this.loading);
  }

  draws() {
    this.charts = new Charts(this.given);
    this.show();
  }

  value(name) {
    return this.given.sliders[name][this.sliders[name].value];
  }

  get policies() {
    return this.boxes.filter((one) => one.checked).map((one) => one.value);
  }

  /** Take what the address says; say what cannot be used. */
  read() {
    const told = [], { sliders, first, called } = this.given;
    for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
      if (sliders[name]) {
        const wanted = Number(text), values = sliders[name];
        if (!text.trim() || !Number.isFinite(wanted)) {
          told.push(`${name}: “${text}” is not accepted; give a number.`);
          continue;
        }
        const near = values.map((one) => Math.abs(one - wanted)), place = near.indexOf(Math.min(...near));
        this.sliders[name].value = place;
        if (near[place] > 1e-9) told.push(`${name}: ${text} is not offered here; ${values[place]} is nearest.`);
      } else if (name === "policies") {
        const asked = text.split(/[;,]/).map((one) => one.trim().replace(" ", "+")).map((one) => (one === "hopper" ? "hopper+budget" : one));
        const there = asked.filter((one) => called[one] !== undefined);
        told.push(...asked.filter((one) => called[one] === undefined).map((one) => `policies: “${one}” is not offered here.`));
        for (const one of this.boxes) one.checked = (there.length ? there : first).includes(one.value);
      } else if (name === "seed") {
        if (/^\d{1,15}$/.test(text)) this.seed = Number(text);
        else told.push(`seed: “${text}” is not accepted; give a whole number.`);
      } else {
        told.push(`${name}: this page has no such control.`);
      }
    }
    this.messages.textContent = told.join(" ");
  }

  moved(one) {
    if (!this.policies.length) one.checked = true; // without a policy there is nothing to see
    this.messages.textContent = "";
    this.start();
  }

  /** Compute the setting of the controls, and put it into the address. */
  start() {
    for (const [name, one] of Object.entries(this.sliders)) {
      document.querySelector(`#${name}-value`).textContent = this.value(name);
      one.setAttribute("aria-valuetext", this.value(name));
    }
    this.sliders.epsilon.closest("label").hidden = !this.policies.some((one) => one.startsWith("hopper"));
    this.setting = { seed: this.seed };
    for (const name of Object.keys(this.sliders)) this.setting[name] = this.value(name);
    const parts = Object.entries(this.setting).filter(([name, value]) => value !== this.given.defaults[name]);
    const policies = this.policies.join(";");
    if (policies !== this.given.first.join(";")) parts.push(["policies", policies]);
    history.replaceState(null, "", parts.length ? `#${new URLSearchParams(parts)}` : location.href.split("#")[0]);
    this.samples = Object.fromEntries(this.policies.map((one) => [one, []]));
    this.number += 1;
    this.progress();
    this.worker.postMessage({ number: this.number, setting: this.setting, policies: this.policies, replications: this.given.replications });
  }

  heard({ number: which, samples, failed }) {
    if (failed) this.fail(failed);
    if (which !== this.number || !samples) return;
    for (const [policy, sample] of Object.entries(samples)) this.samples[policy].push(sample);
    this.progress();
    this.show();
  }

  fail(why) {
    this.work.textContent = `Nothing can be computed here: ${why}`;
  }

  get done() {
    return Object.values(this.samples)[0].length;
  }

  progress() {
    const { replications } = this.given;
    this.told.setAttribute("aria-busy", this.done < replications);
    document.querySelector("progress").value = this.done;
    const tasks = `${this.given.jobs.toLocaleString("en-US")} jobs each`;
    this.work.textContent = `${this.done} of ${replications} replications of ${tasks}`;
  }

  /** Whether the interval of a statistic keeps its promise; a difference needs more jobs. */
  reliable(statistic, paired) {
    const needed = this.given.needed[this.setting.beta][this.setting.load] * (paired ? this.given.paired : 1);
    return ["p50", "resource"].includes(statistic) || needed <= this.given.jobs;
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
    return unstable(this.samples[policy], this.setting.slots, this.given);
  }

  /** The answer: the largest sure difference from the first policy, and what it costs. */
  answer() {
    const [base, ...others] = this.policies, { called } = this.given, name = (one) => called[one];
    const time = (value) => `${number(value)} ${this.given.unit}`;
    if (!others.length) return `${name(base)}: ${JOBS.mean.replace("{}", time(this.estimate(base, "mean").value))}. Choose a second policy to compare it with.`;
    if (this.done === 1) {
      const means = this.policies.map((one) => `${time(this.estimate(one, "mean").value)} under ${name(one)}`);
      return `A job takes on average ${means.join(", ")} so far. One replication gives no interval: any difference may be luck.`;
    }
    if (this.grown(base)) return `No gain over ${name(base)} is stated: its queue grew.`;
    const stable = others.filter((one) => !this.grown(one));
    if (!stable.length) return `Only under ${name(base)} did the queue not grow: no gain is stated.`;
    const found = stable.flatMap((policy) => STATISTICS.filter((one) => this.reliable(one, true))
      .map((statistic) => ({ policy, statistic, change: this.change(policy, base, statistic) })))
      .filter(({ change }) => change.low > 0 || change.high < 0)
      .sort((a, b) => Math.abs(Math.log1p(b.change.value)) - Math.abs(Math.log1p(a.change.value)));
    if (!found.length) return `No difference from ${name(base)} is sure after ${this.done} replications.`;
    const { policy, statistic, change } = found[0];
    const [ours, its] = [policy, base].map((one) => this.estimate(one, statistic).value);
    const before = change.value < 0 ? "instead of" : "up from", cost = this.change(policy, base, "resource");
    const sure = cost.low > 0 || cost.high < 0;
    const within = `${number(100 * Math.abs(cost.value), 2)} ± ${number(50 * (cost.high - cost.low), 1)} %`;
    const price = sure ? `for ${within} ${cost.value > 0 ? "more" : "less"} slot-time per job` : "with no sure difference in slot-time";
    return `${name(policy)}: ${JOBS[statistic].replace("{}", time(ours))} ${before} ${time(its)} under ${name(base)}. It does so ${price}.`;
  }

  show() {
    if (!this.done) return;
    this.told.textContent = this.answer();
    document.querySelector("#means-title").textContent = this.measure.title;
    const set = { load: "load", straggle_tail: "beta", slots: "slots", seed: "seed" };
    const fields = Object.entries(set).map(([field, name]) => ` --set ${field}=${this.setting[name]}`).join("");
    const policies = this.policies.map((one) => ` --policy ${one.replace("hopper+", `hopper:epsilon=${this.setting.epsilon}+`)}`).join("");
    document.querySelector("#command").textContent = `${this.given.command}${fields}${policies}`;
    if (!this.charts) return setTimeout(() => this.load()); // when the number is on the screen
    for (const [place, draw] of [["curve", this.curve()], ["usage", this.usage()], ["means", this.means()]]) {
      const box = document.querySelector(`#${place}`);
      box.style.minHeight = `${draw.figure.layout.height}px`;
      this.charts.show(box, draw.figure, draw.alt);
    }
  }

  color(policy, opacity) {
    const color = this.given.colors[Object.keys(this.given.called).indexOf(policy)];
    if (opacity === undefined) return color;
    return `rgba(${[1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)).join(",")},${opacity})`;
  }

  layout(height, more) {
    return { ...structuredClone(this.given.layout), height, ...more };
  }

  axis(title, more) {
    return { ...this.given.axis, title: { text: title, standoff: 8, font: { size: 14 } }, automargin: true, ...more };
  }

  /** The share of jobs that have finished within a time. */
  curve() {
    const { levels, unit, called } = this.given, told = [];
    const data = this.policies.map((policy, place) => {
      const curves = this.samples[policy].map((one) => one.curve), x = curves[0].map((_, at) => average(curves.map((one) => one[at])));
      told.push(`${called[policy]}: half of the jobs within ${number(this.estimate(policy, "p50").value)} ${unit}, 19 of 20 within ${number(this.estimate(policy, "p95").value)} ${unit}.`);
      const line = { color: this.color(policy), dash: DASHES[place], width: 2.5 };
      const hovertemplate = `<b>${called[policy]}</b><br>%{y:.3~%} of the jobs<br>within %{x:,.3~r} ${unit}<extra></extra>`;
      return { type: "scatter", mode: "lines", name: called[policy], x, y: levels.slice(0, x.length), line, hovertemplate };
    });
    const layout = this.layout(380, {
      xaxis: this.axis(`flowtime of a job (${unit}, logarithmic)`, { type: "log", dtick: "D2" }),
      yaxis: this.axis("share of jobs that are done", { range: [0, 1.02], tickformat: ".0%" }),
    });
    return { figure: { data, layout }, alt: `Share of jobs that have finished within a time. ${told.join(" ")}` };
  }

  /** Slots in use over time: a panel for each policy, originals below, extra copies on top. */
  usage() {
    const { unit, called } = this.given, { slots } = this.setting, told = [], data = [], notes = [];
    const count = this.policies.length, layout = this.layout(count * (PANEL + 28) + AROUND, { showlegend: false });
    this.policies.forEach((policy, place) => {
      const samples = this.samples[policy], span = average(samples.map((one) => one.span));
      const [busy, extra] = [0, 1].map((kind) => samples[0].series[kind].map((_, at) => (100 * average(samples.map((one) => one.series[kind][at]))) / slots));
      const axis = place ? `y${place + 1}` : "y", step = span / busy.length, where = { x0: step / 2, dx: step, yaxis: axis };
      const top = 1 - place / count, low = top - PANEL / (PANEL + 28) / count;
      layout[axis.replace("y", "yaxis")] = { ...this.given.axis, domain: [low, top - 0.06 / count], range: [0, 102], tickvals: [0, 50, 100], ticktext: ["0 %", "50 %", "100 %"], automargin: true };
      notes.push({ text: `<b>${called[policy]}</b>`, xref: "paper", yref: "paper", x: 0, y: top - 0.06 / count, xanchor: "left", yanchor: "bottom", showarrow: false });
      const shared = { type: "scatter", mode: "lines", ...where };
      data.push({ ...shared, name: "originals", y: busy.map((one, at) => one - extra[at]), line: { width: 0 }, hoverinfo: "skip", fill: "tozeroy", fillcolor: this.color(policy, OPACITY.original) });
      const hovertemplate = `<b>${called[policy]}</b><br>at %{x:,.3~r} ${unit}: %{y:.2~r} % of the slots busy,<br>%{customdata:.2~r} % with extra copies<extra></extra>`;
      data.push({ ...shared, name: "extra copies", y: busy, customdata: extra, line: { width: 1, color: this.color(policy) }, fill: "tonexty", fillcolor: this.color(policy, OPACITY.extra), hovertemplate });
      told.push(`${called[policy]}: ${number(average(busy), 2)} % of the slots busy on average, ${number(average(extra), 2)} % with extra copies.`);
    });
    const last = count > 1 ? `y${count}` : "y";
    Object.assign(layout, { annotations: notes, xaxis: this.axis(`time to the last arrival (${unit})`, { anchor: last }) });
    return { figure: { data, layout }, alt: `Slots in use over time: pale originals, dark extra copies on top. ${told.join(" ")}` };
  }

  get measure() {
    const wanted = document.querySelector("#measure input:checked").value, { unit } = this.given;
    if (wanted === "resource") return { of: "resource", title: "Mean slot-time of a job", axis: `slot-time per job (slot·${unit})`, unit: `slot·${unit}` };
    return { of: "mean", title: "Mean flowtime", axis: `mean flowtime (${unit})`, unit };
  }

  /** A mean of each policy with its 95 % interval. */
  means() {
    const { of, axis, title, unit } = this.measure, { called } = this.given, told = [];
    const data = this.policies.map((policy) => {
      const { value, half } = this.estimate(policy, of), within = half === null ? "" : ` ± ${number(half, 2)}`;
      told.push(`${called[policy]}: ${number(value)}${within} ${unit}.`);
      return {
        type: "scatter", mode: "markers+text", name: called[policy], x: [value], y: [called[policy]], text: [`${number(value)}${within}`], textposition: "top center",
        cliponaxis: false, marker: { color: this.color(policy), size: 11 }, error_x: { type: "data", array: [half ?? 0], visible: half !== null, thickness: 2.5, width: 6 },
        hovertemplate: `<b>${called[policy]}</b><br>${number(value)}${within} ${unit}<extra></extra>`,
      };
    });
    const layout = this.layout(this.policies.length * 52 + AROUND, {
      showlegend: false,
      xaxis: this.axis(axis, { range: [0, 1.3 * Math.max(...data.map((one) => one.x[0] + one.error_x.array[0]))] }),
      yaxis: { ...this.given.axis, automargin: true, autorange: "reversed", type: "category", ticktext: this.policies.map((one) => called[one].replace(" + ", "<br>+ ")), tickvals: this.policies.map((one) => called[one]) },
    });
    const unknown = this.done > 1 && !this.reliable(of, false) ? " No interval: too few busy periods in a replication to know it at this load." : "";
    return { figure: { data, layout }, alt: `${title}${this.done > 1 ? ` with 95 % intervals over ${this.done} replications` : ""}. ${told.join(" ")}${unknown}` };
  }
}

window.lab = new Lab(JSON.parse(document.querySelector("#recorded").textContent));
