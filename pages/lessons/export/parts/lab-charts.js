/** The three charts of a Lab: how soon jobs finish, slots in use and tasks that wait, means; each with its words. */
import { average, number, spread, student } from "./lab-numbers.js";

const OPACITY = { original: 0.35, extra: 0.95, band: 0.2 };
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
/** Shares of the jobs that are labelled. */
const SHARES = [0, 0.25, 0.5, 0.75, 0.95];
/** Height of a policy's panel with its name above it, of that of waiting tasks, and of what is around panels, in pixels. */
const PANEL = 64, NAME = 28, QUEUE = 84, AROUND = 76;

const color = ({ given }, policy, opacity) => {
  const found = given.colors[Object.keys(given.called).indexOf(policy)];
  if (opacity === undefined) return found;
  return `rgba(${[1, 3, 5].map((at) => parseInt(found.slice(at, at + 2), 16)).join(",")},${opacity})`;
};
const layout = ({ given }, height, more) => ({ ...structuredClone(given.layout), height, ...more });
const axis = ({ given }, title, more) => ({ ...given.axis, title: { text: title, standoff: 8, font: { size: 14 } }, automargin: true, ...more });

/** The share of jobs that have finished within a time, with a band of 95 % once there are two replications, where it keeps its promise. */
export function curve(lab) {
  const { known: { levels }, most, unit, called, quantiles } = lab.given, told = [], data = [];
  lab.policies.forEach((policy, place) => {
    const curves = lab.samples[policy].map((one) => one.curve), group = { legendgroup: policy, type: "scatter", mode: "lines", name: called[policy] };
    const count = Math.min(levels.filter((one) => one <= most).length, ...curves.map((one) => one.length)), y = levels.slice(0, count);
    const found = y.map((_, at) => student(curves.map((one) => one[at]), quantiles)), x = found.map((one) => one.value);
    const sure = y.map((level) => curves.length > 1 && lab.reliable(level > 0.5 ? "p95" : "p50", false)), known = (of) => of.filter((_, at) => sure[at]);
    if (known(y).length) {
      const least = x[0] / 10, low = known(found).map(({ value, half }) => Math.max(value - half, least)), high = known(found).map(({ value, half }) => value + half);
      data.push({ ...group, x: [...low, ...high.reverse()], y: [...known(y), ...known(y).reverse()], fill: "toself", fillcolor: color(lab, policy, OPACITY.band), line: { width: 0 }, hoverinfo: "skip", showlegend: false });
    }
    data.push({
      ...group, x, y, text: found.map(({ half }, at) => (sure[at] ? ` ± ${number(half, 2)}` : "")), line: { color: color(lab, policy), dash: DASHES[place], width: 2.5 },
      hovertemplate: `<b>${called[policy]}</b><br>%{y:.3~%} of the jobs<br>within %{x:,.3~r}%{text} ${unit}<extra></extra>`,
    });
    told.push(`${called[policy]}: half of the jobs within ${number(lab.estimate(policy, "p50").value)} ${unit}, 19 of 20 within ${number(lab.estimate(policy, "p95").value)} ${unit}.`);
  });
  const ends = data.filter((one) => one.text).flatMap(({ x }) => [x[0], x.at(-1)]);
  const figure = { data, layout: layout(lab, 380, {
    xaxis: axis(lab, `flowtime of a job (${unit}, logarithmic)`, { type: "log", dtick: "D2", range: [Math.log10(Math.min(...ends)) - 0.02, Math.log10(Math.max(...ends)) + 0.02] }),
    yaxis: axis(lab, "share of jobs that are done", { range: [0, 1.02], tickvals: SHARES, ticktext: SHARES.map((one) => `${100 * one} %`) }),
  }) };
  return { figure, alt: `Share of jobs that have finished within a time${data.some((one) => one.fill) ? ", with 95 % bands" : ""}. ${told.join(" ")}${lab.done > 1 && !lab.reliable("p95", false) ? " Bands end at the median: at this load and tail no interval of slower jobs is reliable." : ""}` };
}

/** Slots in use over time: a panel for each policy, originals below, extra copies on top; and the tasks that wait, of all policies. */
export function usage(lab) {
  const { unit, called } = lab.given, { slots } = lab.setting, told = [], data = [], notes = [];
  const count = lab.policies.length, inner = count * (PANEL + NAME) + QUEUE, height = inner + AROUND;
  const shown = layout(lab, height, { showlegend: false }), last = `y${count + 1}`;
  const panel = (place, text, more) => {
    const top = 1 - (place * (PANEL + NAME) + NAME) / inner, low = place === count ? 0 : top - PANEL / inner;
    shown[place ? `yaxis${place + 1}` : "yaxis"] = { ...lab.given.axis, domain: [low, top], automargin: true, ...more };
    notes.push({ text: `<b>${text}</b>`, xref: "paper", yref: "paper", x: 0, y: top, xanchor: "left", yanchor: "bottom", showarrow: false });
  };
  lab.policies.forEach((policy, place) => {
    const samples = lab.samples[policy], span = average(samples.map((one) => one.span));
    const [busy, extra, waiting] = [0, 1, 2].map((kind) => samples[0].series[kind].map((_, at) => average(samples.map((one) => one.series[kind][at]))));
    const step = span / busy.length, name = called[policy], line = { width: 1.5, color: color(lab, policy) };
    const shared = { type: "scatter", mode: "lines", x0: step / 2, dx: step, yaxis: place ? `y${place + 1}` : "y" };
    const [all, copies] = [busy, extra].map((of) => of.map((one) => (100 * one) / slots)), at = `<b>${name}</b><br>at %{x:,.3~r} ${unit}:`;
    panel(place, name, { range: [0, 102], tickvals: [0, 50, 100], ticktext: ["0 %", "50 %", "100 %"] });
    data.push({ ...shared, name: "originals", y: all.map((one, at) => one - copies[at]), line: { width: 0 }, hoverinfo: "skip", fill: "tozeroy", fillcolor: color(lab, policy, OPACITY.original) });
    data.push({
      ...shared, name: "extra copies", y: all, customdata: copies, line: { ...line, width: 1 }, fill: "tonexty", fillcolor: color(lab, policy, OPACITY.extra),
      hovertemplate: `${at} %{y:.2~r} % of the slots busy,<br>%{customdata:.2~r} % with extra copies<extra></extra>`,
    });
    data.push({ ...shared, yaxis: last, name, y: waiting, line: { ...line, dash: DASHES[place] }, hovertemplate: `${at} %{y:,.3~r} tasks wait<extra></extra>` });
    told.push(`${name}: ${number(average(all), 2)} % of the slots busy on average, ${number(average(copies), 2)} % with extra copies; ${number(average(waiting), 2)} tasks wait.`);
  });
  panel(count, "waiting tasks, all policies", { rangemode: "tozero", nticks: 4 });
  Object.assign(shown, { annotations: notes, xaxis: axis(lab, `time to the last arrival (${unit})`, { anchor: last }) });
  return { figure: { data, layout: shown }, alt: `Slots in use over time, pale originals, dark extra copies on top; and waiting tasks. ${told.join(" ")}` };
}

/** A mean of each policy with its 95 % interval. */
export function means(lab) {
  const { of, title, unit, label } = lab.measure, { called } = lab.given, told = [];
  const data = lab.policies.map((policy) => {
    const grown = lab.grown(policy), { value, half: known } = lab.estimate(policy, of), half = grown ? null : known;
    const said = spread(value, half), grew = grown ? " (queue grew)" : "";
    told.push(`${called[policy]}: ${said} ${unit}${grew}.`);
    return {
      type: "scatter", mode: "markers+text", name: called[policy], x: [value], y: [called[policy]], text: [`${said}${grew}`], textposition: "top center",
      cliponaxis: false, marker: { color: color(lab, policy), size: 11 }, error_x: { type: "data", array: [half ?? 0], visible: half !== null, thickness: 2.5, width: 6 },
      hovertemplate: `<b>${called[policy]}</b><br>${said} ${unit}${grew}<extra></extra>`,
    };
  });
  const most = 1.3 * Math.max(...data.map((one) => one.x[0] + one.error_x.array[0]));
  for (const one of data) if (one.x[0] < 0.2 * most) one.textposition = "top right"; // not over the names
  const figure = { data, layout: layout(lab, lab.policies.length * 52 + AROUND, {
    showlegend: false,
    xaxis: axis(lab, label, { range: [0, most] }),
    yaxis: { ...lab.given.axis, automargin: true, autorange: "reversed", type: "category", ticktext: lab.policies.map((one) => called[one].replace(" + ", "<br>+ ")), tickvals: lab.policies.map((one) => called[one]) },
  }) };
  const known = lab.done > 1 && lab.reliable(of, false), unknown = lab.done > 1 && !known ? " So few jobs give no interval at this load and tail." : "";
  return { figure, alt: `${title}${known ? ` with 95 % intervals over ${lab.done} replications` : ""}. ${told.join(" ")}${unknown}` };
}
