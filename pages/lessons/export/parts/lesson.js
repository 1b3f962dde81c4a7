/** An exported lesson: a prediction first, then its answer with what was predicted, variations, exercises, runs. */
import { mount } from "./animation-player.js";
import { mountSandbox } from "./sandbox.js";
import { typed } from "./typed.js";
import { judged } from "./judged.js";
import { Charts } from "./charts.js";
import { Lab } from "./lab.js";

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const recorded = JSON.parse(one("#recorded").textContent);
const charts = new Charts(recorded), answered = one("[data-varied] .chart");
/** The answer without a prediction. */
const plain = recorded.figures[answered.id];

/** Until a prediction is made nothing but the question is shown; afterwards the question goes. */
function predict() {
  const question = one("#question"), answer = one("#answer"), sure = one("#sure"), fields = one("#prediction");
  const given = () => answerOf(fields);
  const look = () => (sure.disabled = given() === null);
  one("#unscripted").remove();
  fields.hidden = false;
  answer.open = true;
  answer.hidden = true;
  one("summary", answer).hidden = true;
  const touch = ({ target, type, key }) => { // a slider starts nowhere
    const moved = type !== "keyup" || /^(Arrow|Home|End|Page)/.test(key);
    if (target.type === "range" && moved) target.dataset.touched = "";
    look();
  };
  for (const event of ["input", "keyup", "pointerup"]) fields.addEventListener(event, touch);
  look();
  sure.addEventListener("click", () => {
    show(recorded.predictions[given()]);
    vary(0);
    question.hidden = fields.hidden = true;
    answer.hidden = false;
    one("#told").focus();
  });
  one("#again").addEventListener("click", () => {
    question.hidden = fields.hidden = false;
    answer.hidden = true;
    (one("input:checked, input[type=range], select", fields) ?? one("input", fields)).focus();
  });
}

/** The key of what is predicted, as links of the app write it; null while there is none. */
function answerOf(fields) {
  const range = one("input[type=range]", fields), places = all("select", fields);
  if (range) {
    const told = "touched" in range.dataset ? `${Number(range.value)} ${range.dataset.unit}`.trim() : recorded.nowhere;
    one("#value", fields).textContent = told;
    range.setAttribute("aria-valuetext", told);
    return "touched" in range.dataset ? String(Number(range.value)) : null;
  }
  if (places.length) {
    const keys = places.map((place) => place.value);
    return keys.every(Boolean) && new Set(keys).size === keys.length ? keys.join(",") : null;
  }
  return one("input:checked", fields)?.value ?? null;
}

/** Draw what was predicted onto the answer, and say how they differ. */
function show({ told, alt, data, layout }) {
  one("[data-varied] .told").innerHTML = told;
  const traces = data.map((trace) => (typeof trace === "number" ? plain.data[trace] : trace));
  charts.show(answered, { data: traces, layout: { ...plain.layout, ...layout } }, alt);
}

/** The variations side by side: one is shown, the first is what the prediction was about. */
function vary(place) {
  all("[data-varied]").forEach((section, at) => (section.hidden = at !== place));
  all("input[name=varied]").forEach((input, at) => {
    input.checked = at === place;
    if (input.checked && input.dataset.at) put(input.dataset.at);
  });
}

/** Put the slider of what varies into a place. */
function put(place) {
  const slider = one("#slider"), { label } = recorded.moved[place];
  slider.value = place;
  one("#place").textContent = label;
  slider.setAttribute("aria-valuetext", label);
}

function variations() {
  const box = one("#variations");
  box.hidden = false;
  all("[data-varied] > h3").forEach((heading) => (heading.hidden = true));
  all("input[name=varied]", box).forEach((input, place) => input.addEventListener("change", () => vary(place)));
  one("#slider", box)?.addEventListener("input", ({ target }) => slide(target.value));
  vary(0);
}

/** Any value of the variation: its answer was computed when the page was written. */
function slide(place) {
  const section = one("#moved"), { told, why, figure, alt } = recorded.moved[place];
  put(place);
  vary(all("[data-varied]").indexOf(section)); // first, so that the answer is read out
  one(".told", section).innerHTML = told;
  one(".why", section).innerHTML = why;
  charts.show(one(".chart", section), figure, alt);
}

/** Another draw of the first picture, in turn. */
function scenes() {
  const button = one("#another"), drawn = all("#scenes > figure");
  if (!button) return;
  let shown = 0;
  button.hidden = false;
  button.addEventListener("click", () => {
    shown = (shown + 1) % drawn.length;
    drawn.forEach((figure, place) => (figure.hidden = place !== shown));
  });
}

/** A decision: a wrong one gets the hint, the right one its reason. */
function decision(box, right) {
  const hint = one(".hint", box), solution = one(".solution", box);
  one(".unscripted", box).remove();
  one(".asked", box).addEventListener("change", ({ target }) => {
    const solved = target.value === right;
    one(".said", box).textContent = solved ? "Right." : "Not so.";
    hint.hidden = hint.hidden && solved;
    hint.open = !hint.hidden;
    solution.open = solved || solution.open;
  });
}

/** An exercise: the first wrong answer gets the direction, the second a hint, the third the solution. */
function exercise(box, place) {
  const { right, unit } = recorded.exercises[place], { hinted, tries } = recorded.limits, wrong = new Set();
  const field = one("input", box), said = one(".said", box), hint = one(".hint", box), solution = one(".solution", box);
  one(".asked", box).hidden = false;
  hint.hidden = true;
  if (unit === undefined) return decision(box, right);
  field.addEventListener("change", () => {
    const text = field.value.trim(), given = text && typed(text, unit, recorded.facts);
    if (text === "") said.textContent = "";
    else if (given === null) said.textContent = "Not accepted; give a number, such as 1.5, 3/2, √2 or two.";
    else {
      const { right: solved, counts, told } = judged(given, right, unit, recorded.limits);
      if (counts) wrong.add(given);
      said.textContent = solved ? "Right." : `Not yet: ${told}.`;
      hint.hidden = wrong.size < hinted && hint.hidden;
      hint.open = !hint.hidden;
      if (solved || wrong.size >= tries) solution.open = true;
    }
  });
}

/** Runs to watch and clusters to play with, in the colours of the reader's theme; they are made anew when that changes. */
function runs() {
  const dark = matchMedia("(prefers-color-scheme: dark)"), alive = ".animation, .sandbox";
  const sections = all(alive).map((section) => section.outerHTML);
  const make = () => all(alive).forEach((before, place) => {
    const holder = document.createElement("template");
    holder.innerHTML = sections[place];
    const section = holder.content.firstElementChild;
    section.dataset.look = JSON.stringify(recorded.looks[dark.matches ? "dark" : "light"]);
    before.replaceWith(section);
    (section.matches(".sandbox") ? mountSandbox : mount)(section);
  });
  make();
  dark.addEventListener("change", make);
}

/** Sliders that run the engine, once they are in sight. */
function live() {
  const root = one(".lab");
  if (!root) return;
  one("#measured").hidden = false;
  const seen = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    seen.disconnect();
    window.lab = new Lab(recorded.live, root, charts);
    window.lab.start();
  });
  seen.observe(root);
}

predict();
live();
variations();
scenes();
all(".exercise").forEach(exercise);
runs();
