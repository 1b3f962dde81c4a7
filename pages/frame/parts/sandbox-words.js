/** The sentences over a sandbox, from what its forecast finds. */
import { COUNTED, alike, duration, slowest } from "./sandbox-engine.js";

/** Jobs whose mean time is shown. */
export const LAST = 50;
/** Times the slowest task alone from which on the queue is told, too. */
const QUEUED = 1.15;
const RULES = { on: "Copying every task", late: "Copying only stragglers" };
const OVERLOADED = "Copying every task overloads this cluster: tasks need more slots than there are, and the queue grows.";

/** A number with its unit beside it: a line never ends between the two. */
const united = (value, unit, digits = 0) => `${value.toFixed(digits)}\u00a0${unit}`;

/** What copies do to these jobs, in a sentence. */
export function aboutCopies({ copies, tasks, tail, largest }, found) {
  if (!found) return OVERLOADED;
  if (copies === "off")
    return found.own > QUEUED * slowest({ tasks, tail, largest })
      ? `Jobs take ${united(found.own, "min", 1)}: ${slowest({ tasks, tail, largest }).toFixed(1)} for the slowest task, the rest in the queue.`
      : `Jobs take ${united(found.own, "min", 1)}: each waits for its slowest task, though half of the tasks take under ${united(duration(0.5, tail, largest), "min", 1)}.`;
  const by = united(Math.abs(found.change), "%"), sure = Math.abs(found.change) > found.half;
  if (!sure || by === united(0, "%")) return `${RULES[copies]} changes little here: it gains as much time as it costs.`;
  if (found.change > 0) return `${RULES[copies]} lengthens jobs by ${by}: copies take the slots that other jobs need.`;
  return `${RULES[copies]} shortens jobs by ${by}: ${copies === "on" ? "idle slots run the copies." : "a few copies end the longest waits."}`;
}

/** What the order of jobs does to them. */
export function inOrder({ order }, found) {
  if (!found) return OVERLOADED;
  if (order === "first") return `Jobs take ${united(found.own, "min", 1)} when they are served in the order in which they come.`;
  if (Math.abs(found.change) < Math.max(found.half, 0.5)) return "Serving the smallest job first changes little: few jobs wait for a slot.";
  return `Serving the smallest job first ${found.change < 0 ? "shortens" : "lengthens"} jobs by ${united(Math.abs(found.change), "%")}.`;
}

/** The numbers behind it. */
export function inNumbers(setting, against, found) {
  const without = setting.order === against.order ? "without copies" : "first come, first served";
  const last = `Mean of the last ${LAST} jobs`, runs = `over runs of ${COUNTED} jobs`;
  if (!found) return `${last}; dashed: ${without}.`;
  const { own, other, change, half } = found;
  if (alike(setting, against)) return `${last}; ${runs} ${united(own, "min", 2)}.`;
  return `${last}; dashed: ${without}. ${own.toFixed(2)} instead of ${united(other, "min", 2)} ${runs} `
    + `(${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(1)}\u00a0±\u00a0${united(half, "%", 1)}).`;
}
