/**
 * Whether an exercise is solved, and the help that is due: the twin of `pages/lessons/words.py`, whose facts it is given.
 */

/** What is said of an answer: whether it is right, whether it is a wrong one that counts, and how it is wrong. */
export function judged(given, right, unit, { close, near }) {
  const isClose = (one) => Math.abs(one - right) <= close * Math.abs(right);
  if (isClose(given)) return { right: true, counts: false, told: "" };
  if (unit === "%" && isClose(100 * given)) return { right: false, counts: false, told: "the answer is asked in percent" };
  if (unit === "%" && isClose(100 - given)) return { right: false, counts: true, told: "that is the share of all others" };
  const nearly = Math.abs(given - right) <= near * Math.abs(right) ? "nearly, but " : "";
  return { right: false, counts: true, told: `${nearly}${number(given)} is too ${given > right ? "high" : "low"}` };
}

/** A number with three significant digits and commas between thousands, as pages write it. */
export function number(value) {
  if (value === 0) return "0";
  const scale = Number(value.toExponential(2).split("e")[1]);
  return fixed(value, Math.max(0, 2 - scale));
}

/** A number with so many decimals; in the middle of two, the even one, as Python rounds. */
function fixed(value, decimals) {
  const size = Math.abs(value);
  let text = size < 1e21 ? size.toFixed(Math.min(100, decimals)) : BigInt(size).toString();
  const inTheMiddle = Number.isInteger(size * 2 ** (decimals + 1)) && (size * 10 ** decimals) % 1 === 0.5;
  if (inTheMiddle && Number(text.at(-1)) & 1) text = text.slice(0, -1) + (Number(text.at(-1)) - 1);
  const [whole, rest] = text.split(".");
  return (value < 0 ? "−" : "") + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest === undefined ? "" : `.${rest}`);
}
