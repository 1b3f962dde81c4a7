/** Numbers of replications: how they are written, their means with intervals, differences, and whether a queue grew. */

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
export const average = (numbers) => sum(numbers) / numbers.length;

/** Share of a value below which the half of an interval is an error of rounding. */
const ROUNDING = 1e-9;
const magnitude = (value, digits) => Number(Math.abs(value).toExponential(digits - 1).split("e")[1]);
const fixed = (value, decimals) => {
  const places = Math.max(decimals, 0);
  return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places }).replace("-", "−");
};

/** A number with so many digits, as `sim.telling.words.number` writes it. */
export const number = (value, digits = 3) => (value === 0 ? "0" : fixed(value, digits - 1 - magnitude(value, digits)));

/** A value with half the width of its interval, where there is one, as `sim.telling.words.spread` writes it. */
export function spread(value, half, digits = 2) {
  if (!(half > ROUNDING * Math.abs(value))) return number(value);
  const decimals = digits - 1 - magnitude(half, digits);
  return `${fixed(value, decimals)} ± ${fixed(half, decimals)}`;
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
