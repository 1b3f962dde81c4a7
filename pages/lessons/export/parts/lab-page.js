/** The Lab as a page: its setting is in the address, as links of the app have it, and the script of the charts comes later. */
import { Charts } from "./charts.js";
import { Lab } from "./lab.js";

const recorded = JSON.parse(document.querySelector("#recorded").textContent);

class Page extends Lab {
  constructor(root) {
    super(recorded.live, root);
    addEventListener("hashchange", () => { this.read(); this.start(); });
    this.read();
    this.start();
    if (!recorded.beside) this.draws();
  }

  /** Load the script that draws, unless that is under way: after the first number, which it would delay. */
  load() {
    if (this.loading || this.charts) return;
    this.loading = document.createElement("script");
    this.loading.src = recorded.beside;
    this.loading.onload = this.loading.onerror = () => this.draws();
    document.body.append(this.loading);
  }

  draws() {
    this.charts = new Charts(recorded);
    this.show();
  }

  show() {
    super.show();
    if (this.done && !this.charts) setTimeout(() => this.load()); // when the number is on the screen
  }

  moved(one) {
    super.moved(one);
    history.replaceState(null, "", `#${this.link}`);
  }

  /** The setting as links of the app have it: what differs from the app's defaults. */
  get link() {
    const { usual, jobs } = recorded.links, policies = this.policies.join(";"), parts = [["jobs", jobs]];
    for (const [name, value] of Object.entries(this.setting)) if (value !== usual[name]) parts.push([name, value]);
    if (policies !== usual.policies) parts.push(["policies", policies]);
    return String(new URLSearchParams(parts));
  }

  /** Take what the address says, and the app's defaults where a link says nothing; say what cannot be used. */
  read() {
    const { usual, jobs } = recorded.links, asked = new URLSearchParams(location.hash.slice(1)), told = [];
    const { defaults, first } = this.given, bare = { ...defaults, policies: first.join(";") };
    const setting = asked.size ? { ...usual, ...Object.fromEntries(asked) } : bare;
    this.fixed.seed = usual.seed;
    const base = this.choose(setting.policies, told);
    setting.baseline ??= base ?? this.policies[0];
    for (const [name, text] of Object.entries(setting)) {
      if (name === "policies" || name === "v") continue; // all versions of links mean the same here
      if (Object.hasOwn(this.sliders, name)) this.slide(name, String(text), told);
      else if (name === "seed") {
        if (/^\d{1,15}$/.test(text)) this.fixed.seed = Number(text);
        else told.push(`seed: “${text}” is not accepted; give a whole number.`);
      } else if (name === "baseline") {
        if (this.written(text) !== this.policies[0]) told.push(`baseline: “${text}” is not offered here; the first policy is what the others are compared with.`);
      } else if (name !== "jobs") told.push(`${name}: this page has no such control.`);
      else if (String(text) !== jobs) told.push(`jobs: ${text} are not offered here; there are ${jobs}.`);
    }
    this.one(".messages").textContent = told.join(" ");
  }

  /** A policy as it is called in the engine. */
  written(text) {
    const one = text.trim().replace(" ", "+");
    return one === "hopper" ? "hopper+budget" : one;
  }

  /** Take policies; return which the app compares the others with where a link does not say. */
  choose(text, told) {
    const asked = text.split(/[;,]/).map((one) => this.written(one)), { called, first } = this.given;
    const there = asked.filter((one) => Object.hasOwn(called, one));
    told.push(...asked.filter((one) => !Object.hasOwn(called, one)).map((one) => `policies: “${one}” is not offered here.`));
    for (const one of this.boxes) one.checked = (there.length ? there : first).includes(one.value);
    return there.includes(this.boxes[0].value) ? this.boxes[0].value : there[0];
  }

  slide(name, text, told) {
    const wanted = Number(text), values = this.given.sliders[name];
    if (!text.trim() || !Number.isFinite(wanted)) return told.push(`${name}: “${text}” is not accepted; give a number.`);
    const near = values.map((one) => Math.abs(one - wanted)), place = near.indexOf(Math.min(...near));
    this.sliders[name].value = place;
    if (near[place] > 1e-9) told.push(`${name}: ${text} is not offered here; ${values[place]} is nearest.`);
  }
}

window.lab = new Page(document.querySelector(".lab"));
