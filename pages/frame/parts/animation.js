/**
 * The state of a run at a time, and its events then; `sim/running/animation.py` makes the lists.
 *
 * A copy runs from the instant of its start up to, and without, that of its end.
 */
const FINISHED = 0, KILLED = 1, DROPPED = 3;
/** Things that happen at one instant and are told one by one. */
const MOST_TOLD = 6;

/** A run with names for its columns, each copy with its siblings and the first of its task. */
export function read({ name, slots, expected, instants, jobs, copies, noun, called }) {
  const tasks = new Map();
  const known = copies.map(([job, task, number, slot, start, end, fate, late]) => {
    const key = `${job} ${task}`, siblings = tasks.get(key) ?? [];
    const title = `${noun} ${job + 1}, task ${called[job]?.[task] ?? task + 1}`;
    const copy = { job, task, number, slot, start, end, fate, late, siblings, title, first: !siblings.length };
    siblings.push(copy);
    tasks.set(key, siblings);
    return copy;
  });
  const arrived = jobs.map(([arrival, count, done]) => ({ arrival, count, done }));
  return { name, slots, expected, instants, jobs: arrived, copies: known, noun };
}

/** The place of the last instant that is not after a time; -1 if there is none. */
export function placeAt(run, time) {
  let low = 0, high = run.instants.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.instants[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** What holds after all that happens at the instant of a place. */
export function stateAt(run, place) {
  const held = Array(run.slots).fill(null);
  const waiting = run.jobs.map(({ arrival, count }) => (arrival <= place ? count : 0));
  for (const copy of run.copies) {
    if (copy.start > place) break;
    if (copy.first && copy.task < run.jobs[copy.job].count) waiting[copy.job] -= 1; // no redundant one of a coded job
    if (copy.end > place) held[copy.slot] = copy;
  }
  const running = held.filter(Boolean);
  const done = run.jobs.filter((job) => job.done <= place);
  const flowtimes = done.map((job) => run.instants[job.done] - run.instants[job.arrival]);
  return {
    held,
    waiting,
    busy: running.length,
    extra: running.filter((copy) => copy.number > 0).length,
    late: running.filter((copy) => isLate(copy, place)).length,
    done: done.length,
    flowtime: done.length ? flowtimes.reduce((sum, one) => sum + one, 0) / done.length : null,
  };
}

/** Whether a copy is known to be a straggler. */
export const isLate = (copy, place) => copy.late >= 0 && copy.late <= place;

/** Whether a copy was cancelled by then, since a sibling finished first or its slot was wanted. */
export const isCancelled = (copy, place) => copy.end <= place && (copy.fate === KILLED || copy.fate === DROPPED);

/** The copies that end with the first of their task to finish. */
export const beaten = (copy) =>
  copy.fate === FINISHED ? copy.siblings.filter((one) => one.fate === KILLED && one.end === copy.end) : [];

/** What happens at the instant of a place, in words. */
export function story(run, place) {
  const told = [...ends(run, place), ...lates(run, place), ...arrivals(run, place), ...starts(run, place)];
  const more = told.length - MOST_TOLD;
  return [...told.slice(0, MOST_TOLD), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

const called = (copy) => (copy.number ? `extra copy ${copy.number}` : "the original");
const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

function ends(run, place) {
  const ended = run.copies.filter((copy) => copy.end === place && copy.start < place);
  const won = ended.filter((copy) => copy.fate === FINISHED).map((copy) => {
    const others = beaten(copy);
    const race = others.length ? `: ${called(copy)} wins, ${others.map(called).join(" and ")} cancelled` : "";
    return `${copy.title} finishes${race}`;
  });
  const dropped = ended.filter((copy) => copy.fate === DROPPED)
    .map((copy) => `${copy.title}: ${called(copy)} given up`);
  const done = run.jobs.flatMap((job, number) => (job.done === place ? [`${run.noun} ${number + 1} is done`] : []));
  return [...won, ...dropped, ...done];
}

function lates(run, place) {
  return run.copies.filter((copy) => copy.late === place)
    .map((copy) => `${copy.title} in slot ${copy.slot + 1} is a straggler now`);
}

function arrivals(run, place) {
  return run.jobs.flatMap(({ arrival, count }, number) =>
    arrival === place ? [`${run.noun} ${number + 1} arrives with ${counted(count, "task")}`] : []);
}

function starts(run, place) {
  const begun = run.copies.filter((copy) => copy.start === place && copy.end > place);
  const firsts = new Map();
  for (const copy of begun) if (copy.first) firsts.set(copy.job, (firsts.get(copy.job) ?? 0) + 1);
  const originals = [...firsts].map(([job, count]) => `${run.noun} ${job + 1} starts ${counted(count, "task")}`);
  const extra = begun.filter((copy) => !copy.first)
    .map((copy) => `${copy.title} gets ${called(copy)} in slot ${copy.slot + 1}`);
  return [...originals, ...extra];
}
