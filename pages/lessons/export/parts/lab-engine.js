/**
 * Runs of the slot engine in a worker: the lab's own engine as WebAssembly, on jobs drawn as NumPy draws them.
 * `known` says which arrays the engine has and what they hold before a run; only what a slider or a draw changes is set here.
 */

const LOW32 = 0xffffffffn, LOW64 = (1n << 64n) - 1n, LOW128 = (1n << 128n) - 1n;
const PCG = 0x2360ed051fc65da44385df649fccf645n;
const GOLDEN = 0x9e3779b97f4a7c15n, FIRST = 0xbf58476d1ce4e5b9n, SECOND = 0x94d049bb133111ebn;
/** Where arrays begin, above all that the engine itself keeps in memory; and by how much memory grows. */
const BEGIN = 1 << 20, PAGE = 1 << 16;
/** Bytes to which every array is aligned. */
const LINE = 64;
/** Events of one call: a few hundredths of a second, so that a new setting does not wait. */
const STEP = 100_000n;

/** The numbers with which NumPy's SeedSequence begins a generator, four of 64 bits, for a list of integers below 2^53. */
export function seeded(entropy) {
  const words = entropy.flatMap((one) => (one > 0xffffffff ? [one % 2 ** 32, Math.floor(one / 2 ** 32)] : [one]));
  const hash = (constant, by) => (value) => {
    value = Math.imul(value ^ constant, (constant = Math.imul(constant, by)));
    return value ^ (value >>> 16);
  };
  const mix = (x, y) => {
    const found = Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y) | 0;
    return found ^ (found >>> 16);
  };
  const mixed = hash(0x43b0d7e5, 0x931e8875);
  const pool = [0, 1, 2, 3].map((place) => mixed(words[place] ?? 0));
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], mixed(pool[from]));
  }
  for (const word of words.slice(4)) for (let to = 0; to < 4; to++) pool[to] = mix(pool[to], mixed(word));
  const drawn = hash(0x8b51f9dd, 0x58f38ded);
  const halves = Array.from({ length: 8 }, (_, place) => BigInt(drawn(pool[place % 4]) >>> 0));
  return [0, 2, 4, 6].map((place) => halves[place] | (halves[place + 1] << 32n));
}

/** NumPy's generator of a named stream: PCG64, uniform numbers, and exponential ones by its ziggurat, whose tables are `known`. */
export class Stream {
  constructor(entropy, ziggurat) {
    const [high, low, first, second] = seeded(entropy);
    this.step = ((((first << 64n) | second) << 1n) | 1n) & LOW128;
    this.state = (((this.step + ((high << 64n) | low)) & LOW128) * PCG + this.step) & LOW128;
    this.ziggurat = ziggurat;
  }

  /** The next 64 bits. */
  word() {
    this.state = (this.state * PCG + this.step) & LOW128;
    const high = this.state >> 64n, found = (high ^ this.state) & LOW64, by = high >> 58n;
    return ((found >> by) | (found << (64n - by))) & LOW64;
  }

  /** The next uniform number in [0, 1). */
  uniform() {
    return Number(this.word() >> 11n) * 2 ** -53;
  }

  /** The next exponential number of mean 1. */
  exponential() {
    const { begin, width, accepted, height } = this.ziggurat;
    for (;;) {
      const word = this.word(), place = Number((word >> 3n) & 0xffn), part = Number(word >> 11n), found = part * width[place];
      if (part < accepted[place]) return found;
      if (place === 0) return begin - Math.log1p(-this.uniform());
      if ((height[place - 1] - height[place]) * this.uniform() + height[place] < Math.exp(-found)) return found;
    }
  }
}

function mixed(word) {
  word = ((word ^ (word >> 30n)) * FIRST) & LOW64;
  word = ((word ^ (word >> 27n)) * SECOND) & LOW64;
  return word ^ (word >> 31n);
}

/** The key of a replication, from which the engine draws the luck of copies. */
export function runKey(seed, replication) {
  return mixed(mixed((BigInt(seed) + GOLDEN) & LOW64) ^ ((BigInt(replication) * GOLDEN + FIRST) & LOW64));
}

/** The next number towards 0, of a positive one. */
function below(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigUint64(0, view.getBigUint64(0) - 1n);
  return view.getFloat64(0);
}

/** What a text holds in Base64. */
export const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const aligned = (size) => Math.ceil(size / LINE) * LINE;

/** How many of ascending numbers are at most a value. */
function reached(steps, value) {
  let low = 0, high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Jobs of a replication: the times between arrivals, in mean ones, and the tasks of each. */
export function drawn({ jobs, tasks: [fewest, ...steps], streams, ziggurat }, seed, replication) {
  const of = (name) => new Stream([seed, replication, streams[name]], ziggurat), sizes = of("tasks"), gaps = of("arrival");
  const count = Int32Array.from({ length: jobs }, () => fewest + reached(steps, sizes.uniform()));
  let time = 0;
  const arrival = Float64Array.from({ length: jobs }, () => (time += gaps.exponential()));
  return { tasks: count, arrival };
}

/** The engine in memory, with one run at a time. */
export class Engine {
  constructor(exports, known) {
    Object.assign(this, { exports, known });
    if (exports.__heap_base.value > BEGIN) throw new Error("The engine keeps more in memory than this page knows of.");
  }

  /** Lay out the arrays of a run and set what they hold before it. */
  begin(policy, setting, jobs, replication) {
    const { arrays, changed } = this.known.policies[policy], law = this.known.laws[setting.beta];
    const tasks = jobs.tasks.reduce((sum, one) => sum + one, 0), largest = jobs.tasks.reduce((a, b) => Math.max(a, b));
    const buckets = 1 << Math.max(4, 32 - Math.clz32(2 * setting.slots - 1)), { block } = this.known;
    const counted = [1, jobs.tasks.length, tasks, setting.slots, largest, buckets, block * Math.ceil((largest + 2) / block)];
    this.places = {};
    let end = BEGIN;
    for (const { name, size, rows } of arrays) {
      const count = rows.reduce((sum, each, place) => sum + each * counted[place], 0);
      this.places[name] = { first: end, count };
      end += aligned(size * count);
    }
    const words = this.words(arrays, end), { memory } = this.exports, missing = words.end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    this.view = new DataView(memory.buffer);
    new Uint8Array(memory.buffer, BEGIN, words.end - BEGIN).fill(0);
    const given = { ...changed.beta[setting.beta], ...changed.epsilon[setting.epsilon] };
    for (const { name, size, parts } of arrays) {
      const { first, count } = this.places[name];
      if (given[name] !== undefined) new Uint8Array(memory.buffer, first).set(bytes(given[name]));
      else parts.forEach((part, place) => this.repeat(bytes(part), first + (place * count * size) / parts.length, count / parts.length));
    }
    words.numbers.forEach((one, place) => this.view.setBigInt64(end + 8 * place, BigInt(one), true));
    words.table.forEach((one, place) => this.view.setBigInt64(this.places.table.first + 8 * place, BigInt(one), true));
    this.fill(setting, law, jobs, runKey(setting.seed, replication), buckets);
    this.end = words.end;
    Object.assign(this, { policy, from: end });
  }

  /** Write a record so many times; memory is 0 before. */
  repeat(record, first, count) {
    if (!record.some((one) => one)) return;
    const whole = new Uint8Array(this.view.buffer, first, record.length * count);
    whole.set(record);
    for (let done = record.length; done < whole.length; done *= 2) whole.copyWithin(done, 0, Math.min(done, whole.length - done));
  }

  /** What the engine is called with: where each array is and how long; and where rules find those they may see. */
  words(arrays, end) {
    const numbers = [], { table } = this.known;
    for (const { name, shape } of arrays) {
      const { first, count } = this.places[name];
      if (shape) numbers.push(first, count, ...shape);
    }
    const seen = table.flatMap((name) => (this.places[name] ? [this.places[name].first, this.places[name].count] : [0, 0]));
    return { numbers: [...numbers, STEP], table: seen, end: end + 8 * (numbers.length + 1) };
  }

  /** Set a field of a row of records. */
  put(array, row, name, value) {
    const [offset, kind] = this.known.fields[array][name], size = this.known.sizes[array];
    const at = this.places[array].first + row * size + offset;
    if (kind === "f8") this.view.setFloat64(at, value, true);
    else if (kind === "i4") this.view.setInt32(at, value, true);
    else this.view.setBigUint64(at, BigInt(value), true);
  }

  /** Read a field of all rows. */
  column(array, name) {
    const [offset] = this.known.fields[array][name], size = this.known.sizes[array], { first, count } = this.places[array];
    return Float64Array.from({ length: count }, (_, row) => this.view.getFloat64(first + row * size + offset, true));
  }

  /** Set what follows from the setting and the jobs. */
  fill({ slots, load }, law, jobs, key, buckets) {
    const stretch = (this.known.meanTasks * law.mean) / (load * slots);
    let task = 0;
    jobs.tasks.forEach((count, job) => {
      this.put("jobs", job, "arrival", jobs.arrival[job] * stretch);
      for (const name of ["tasks", "released"]) this.put("jobs", job, name, count);
      this.put("jobs", job, "first_task", task);
      task += count;
    });
    const last = jobs.arrival.at(-1) * stretch, step = below(last / this.known.edges);
    const cluster = {
      slots, free: slots, run: key, mean_factor: law.mean, theta: law.theta, tail: law.tail,
      edge_step: step, next_edge: step, days_per_time: slots / law.mean, mask: buckets - 1, year: buckets,
    };
    for (const [name, value] of Object.entries(cluster)) this.put("cluster", 0, name, value);
    for (let slot = 0; slot < slots; slot++) {
      this.view.setInt32(this.places.idle.first + 4 * slot, slots - 1 - slot, true);
      this.put("slots", slot, "spot", slots - 1 - slot);
    }
    Object.assign(this, { span: last, step });
  }

  /** Let more events happen; whether the run is over. */
  advance() {
    const answer = this.exports[this.policy](this.from);
    this.view = new DataView(this.exports.memory.buffer);
    if (answer === -1n) throw new Error("The engine has stopped.");
    return Number(answer) === this.known.done;
  }

  /** What is read of a run that is over. */
  sample() {
    const { levels, edges, counted } = this.known, arrival = this.column("jobs", "arrival");
    const flowtime = this.column("jobs", "finish").map((one, job) => one - arrival[job]).slice(counted);
    const resource = this.column("jobs", "resource").slice(counted), size = flowtime.length;
    const mean = (column) => column.reduce((sum, one) => sum + one, 0) / column.length;
    const values = { mean: mean(flowtime), resource: mean(resource) };
    flowtime.sort();
    for (const [name, share] of Object.entries({ p50: 0.5, p95: 0.95 })) values[name] = quantile(flowtime, share);
    const curve = levels.filter((level) => level <= 1 - 1 / size).map((level) => quantile(flowtime, level));
    const sums = (interval, kind) => (interval < 0 ? 0 : this.view.getFloat64(this.places.series.first + 8 * (4 * interval + kind), true));
    const series = [0, 1, 2].map((kind) => Array.from({ length: edges }, (_, at) => (sums(at, kind) - sums(at - 1, kind)) / this.step));
    return { values, curve, series, span: this.span };
  }
}

/** The smallest of sorted values with at least a share at or below it. */
export function quantile(sorted, share) {
  const place = sorted.length * share - 1, low = Math.floor(place);
  return sorted[Math.max(0, place === low ? low : low + 1)];
}
