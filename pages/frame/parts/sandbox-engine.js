/**
 * The cluster of the sandbox: jobs of some tasks arrive by a Poisson process, slots run a copy each, the first copy of a
 * task to end counts. It is the slot engine in small (FIFO or fewest tasks first; no copies, two of every task, one of
 * each straggler), event by event, and needs no page: tests run it beside the slot engine on the same jobs.
 */

/** A uniform number in (0, 1) that depends on its address alone: so each setting meets the same luck. */
export function uniform(seed, job, task, copy) {
  let high = 0x9e3779b9 ^ seed, low = 0x85ebca6b ^ seed;
  for (const part of [job, task, copy]) {
    high = mixed(high ^ mixed(part + 0x7f4a7c15));
    low = mixed(low + Math.imul(mixed(part ^ 0x2545f491), 0x9e3779b1) + high);
  }
  return ((high >>> 5) * 0x4000000 + (low >>> 6) + 0.5) / 0x20000000000000;
}

function mixed(bits) {
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return bits ^ (bits >>> 15);
}

/** Duration that a share `left` of all copies exceeds: Pareto with this tail index, from 1 to the largest. */
export const duration = (left, tail, largest) => (left + (1 - left) * largest ** -tail) ** (-1 / tail);

/** Mean duration of a copy under the same law. */
export const meanDuration = (tail, largest) =>
  ((tail / (tail - 1)) * (1 - largest ** (1 - tail))) / (1 - largest ** -tail);

/** Jobs without end: a job every so often, each with its tasks; what is set may change while they arrive. */
export class Draws {
  constructor({ seed, load, tail, largest, tasks, varied, slots }) {
    Object.assign(this, { seed, load, tail, largest, tasks, varied, slots, number: -1, time: 0 });
  }

  /** The arrival and the tasks of the next job. */
  next() {
    this.number++;
    const gap = -Math.log(uniform(this.seed, this.number, 0, -1));
    this.time += (gap * this.tasks * this.mean) / (this.load * this.slots);
    const tasks = this.varied ? 1 + Math.floor(uniform(this.seed, this.number, 0, -2) * (2 * this.tasks - 1)) : this.tasks;
    return { arrival: this.time, tasks };
  }

  duration(job, task, copy) {
    return duration(uniform(this.seed, job, task, copy), this.tail, this.largest);
  }

  get mean() {
    return meanDuration(this.tail, this.largest);
  }
}

/**
 * A cluster; `copies` is "off", "on" (two of every task) or "late" (one more of each straggler), `order` "first" or
 * "smallest" (fewest tasks left). A job has its `tasks`, a task its `copies`.
 */
export class Cluster {
  constructor(draws, { slots, late, copies, order }) {
    Object.assign(this, { draws, late, copies, order, now: 0 });
    this.slots = Array(slots).fill(null);
    this.free = slots;
    this.jobs = []; // in the cluster, in order of arrival
    this.waiting = []; // those of them with tasks that have not begun
    this.owed = []; // tasks that get a copy before any other task begins
    this.ended = []; // copies that are over, for whoever draws them; emptied by them
    this.done = []; // jobs that are done, likewise
    this.coming = draws.next();
  }

  /** When anything happens next. */
  get next() {
    let at = this.coming.arrival;
    for (const copy of this.slots)
      if (copy) {
        if (copy.end < at) at = copy.end;
        if (!copy.late && copy.number === 0 && copy.lateAt < at) at = copy.lateAt;
      }
    return at;
  }

  /** Let time pass. */
  until(time) {
    for (let at = this.next; at <= time; at = this.next) this.step(at);
    this.now = time;
  }

  /** Let the next thing happen. */
  step(at = this.next) {
    this.now = at;
    if (at === this.coming.arrival) this.arrive();
    for (const copy of this.slots) {
      if (copy && copy.end <= at && copy.slot >= 0) this.finish(copy);
      else if (copy && !copy.late && copy.number === 0 && copy.lateAt <= at) this.miss(copy);
    }
    this.fill();
  }

  arrive() {
    const { arrival, tasks } = this.coming, number = this.draws.number;
    const job = { number, arrival, left: tasks, begun: 0, tasks: Array.from({ length: tasks }, (_, task) => ({ task, copies: [], done: false })) };
    for (const task of job.tasks) task.job = job;
    this.jobs.push(job);
    this.waiting.push(job);
    this.coming = this.draws.next();
  }

  finish(copy) {
    const { task } = copy, { job } = task;
    copy.won = true;
    task.done = true;
    for (const one of task.copies) if (one.slot >= 0) this.release(one);
    this.forget(task);
    if (--job.left) return;
    job.done = this.now;
    this.jobs.splice(this.jobs.indexOf(job), 1);
    this.done.push(job);
  }

  release(copy) {
    this.slots[copy.slot] = null;
    this.free++;
    Object.assign(copy, { lane: copy.slot, slot: -1, over: this.now });
    this.ended.push(copy);
  }

  /** An original is known to be a straggler. */
  miss(copy) {
    copy.late = true;
    if (this.copies === "late" && copy.task.copies.length < 2) this.owe(copy.task);
  }

  owe(task) {
    if (!task.done && !this.owed.includes(task)) this.owed.push(task);
  }

  forget(task) {
    const place = this.owed.indexOf(task);
    if (place >= 0) this.owed.splice(place, 1);
  }

  /** Start what may start: copies that are owed, then tasks that wait. */
  fill() {
    while (this.free > 0) {
      if (this.owed.length) {
        const task = this.owed.reduce(this.copies === "late" ? longer : older);
        this.forget(task);
        this.start(task);
      } else if (this.waiting.length) {
        const job = this.order === "first" ? this.waiting[0] : this.waiting.reduce(smaller), task = job.tasks[job.begun++];
        if (job.begun === job.tasks.length) this.waiting.splice(this.waiting.indexOf(job), 1);
        this.start(task);
        if (this.copies === "on") this.owe(task);
      } else return;
    }
  }

  start(task) {
    const slot = this.slots.indexOf(null), number = task.copies.length, { job } = task;
    const took = this.draws.duration(job.number, task.task, number);
    const copy = { task, number, slot, start: this.now, end: this.now + took, lateAt: this.now + this.late * this.draws.mean, late: false, won: false };
    task.copies.push(copy);
    this.slots[slot] = copy;
    this.free--;
    return copy;
  }

  /** Give a task another copy, by hand: now, or as soon as a slot is free. */
  copy(task) {
    this.owe(task);
    this.fill();
  }

  /** Let a running copy end at another time, by hand. */
  stretch(copy, end) {
    copy.end = Math.max(end, this.now);
  }

  /** Change what is set; it holds for what begins from now on. */
  set({ copies, order, load, tail }) {
    if (copies) this.copies = copies;
    if (order) this.order = order;
    if (copies === "off") this.owed = [];
    if (load && load !== this.draws.load) { // the rest of the gap is as much shorter as jobs are more frequent
      const { draws, coming } = this;
      draws.time = coming.arrival = this.now + ((coming.arrival - this.now) * draws.load) / load;
      draws.load = load;
    }
    if (tail) this.draws.tail = tail;
  }
}

const older = (one, other) => (other.copies[0].start < one.copies[0].start ? other : one);
const longer = (one, other) => (other.copies[0].end > one.copies[0].end ? other : one);
const smaller = (one, other) => (other.left < one.left ? other : one);

/** Slot-time of two copies of a task for that of one: how much busier they make a cluster. */
export function cost({ tail, largest }, steps = 400) {
  let shorter = 0; // the mean of the shorter of two: both exceed it with the square of the probability
  for (let step = 0; step < steps; step++) shorter += duration(Math.sqrt((step + 0.5) / steps), tail, largest) / steps;
  return (2 * shorter) / meanDuration(tail, largest);
}

/** Mean time of the slowest of some tasks that all begin at once. */
export function slowest({ tasks, tail, largest }, steps = 2000) {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum += duration(1 - ((step + 0.5) / steps) ** (1 / tasks), tail, largest);
  return sum / steps;
}

/** Jobs of a replication that are counted, after those that only fill the cluster. */
export const COUNTED = 900;
const WARM_UP = 100, JOBS = COUNTED + WARM_UP;
/** Replications of a forecast, and those from which on something is said. */
export const REPLICATIONS = 40;
export const FEWEST = 6;
/** The 97.5 % quantile of Student's t, by its expansion around the normal one (Abramowitz and Stegun, 26.7.5). */
export function student(freedom, z = 1.959964) {
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2);
}

/** Whether two settings differ in nothing that is compared. */
export const alike = (one, other) => one.copies === other.copies && one.order === other.order;

/** Mean job times under a setting and under what it is held against: the same jobs with the same luck. */
export class Forecast {
  constructor(setting, against) {
    Object.assign(this, { settings: [setting, against], times: [[], []] });
  }

  get count() {
    return this.times[1].length;
  }

  /** Simulate another replication of one of the two. */
  more() {
    const side = this.times[0].length > this.count ? 1 : 0, own = this.times[side];
    own.push(meanTime({ ...this.settings[side], seed: 1 + own.length }));
    if (alike(...this.settings)) this.times[1].push(own.at(-1)); // one run is both
  }

  /** Both mean job times, the change in per cent, and half of its 95 % interval. */
  get found() {
    const count = this.count, [own, other] = this.times.map((times) => mean(times.slice(0, count)));
    const apart = this.times[1].map((time, place) => (100 * (this.times[0][place] - (own / other) * time)) / other);
    const spread = Math.sqrt(apart.reduce((sum, one) => sum + one * one, 0) / (count - 1));
    return { own, other, change: 100 * (own / other - 1), half: (student(count - 1) * spread) / Math.sqrt(count) };
  }
}

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** Mean time of the counted jobs of a replication. */
export function meanTime(setting, jobs = JOBS) {
  return mean(times(new Draws(setting), setting, jobs).slice((jobs * WARM_UP) / JOBS));
}

/** Times of the first jobs, in order of arrival, after which none comes. */
export function times(draws, setting, jobs) {
  const cluster = new Cluster(draws, setting), took = Array(jobs);
  for (let left = jobs; left > 0; left -= cluster.done.splice(0).length) {
    if (draws.number >= jobs) cluster.coming = { arrival: Infinity };
    cluster.step();
    for (const job of cluster.done) took[job.number] = job.done - job.arrival;
    cluster.ended = [];
  }
  return took;
}
