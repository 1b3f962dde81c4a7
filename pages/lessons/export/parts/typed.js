/**
 * Numbers as people type them: the twin of `pages/lessons/typed.py`, whose facts it is given.
 *
 * A test compares both over a table of texts.
 */

/** A text that is no number. */
class NoNumber extends Error {}

/** The number that a text means, in a unit; null if it is none, or has another unit. */
export function typed(text, unit, facts) {
  if ([...text].length > facts.longest) return null;
  const token = new RegExp(`\\s*(${facts.number}|[a-z]+|\\*\\*|\\S)`, "gu");
  const tokens = [...text.toLowerCase().replaceAll("−", "-").matchAll(token)].map((found) => found[1]);
  try {
    const value = new Reader(tokens, facts).answer(unit);
    return Number.isFinite(value) ? value : null;
  } catch (error) {
    if (error instanceof NoNumber) return null;
    throw error;
  }
}

/** Reads tokens from the left, by descent: sums of products of powers. */
class Reader {
  constructor(tokens, facts) {
    Object.assign(this, { tokens, facts, place: 0, plain: new RegExp(`^(?:${facts.number})$`) });
  }

  get next() {
    return this.tokens[this.place] ?? "";
  }

  /** Read the next token if it is one of these; tell whether it was. */
  takes(tokens) {
    if (!this.next || !tokens.includes(this.next)) return false;
    this.place += 1;
    return true;
  }

  /** Read the next token if it is a name in a table; return what it is there, else undefined. */
  from(table) {
    if (!Object.hasOwn(table, this.next)) return undefined;
    this.place += 1;
    return table[this.tokens[this.place - 1]];
  }

  /** Read a sign if it is there; return it, or nothing. */
  sign() {
    const sign = this.next;
    return this.takes(["+", "-"]) ? sign : "";
  }

  answer(unit) {
    const { factor, around, percent, minutes } = this.facts, words = [...factor, ...around];
    if (!unit) {
      if (this.tokens.slice(this.place, this.place + 3).join(" ") === "by a factor") this.place += 2;
      while (this.takes(words));
    }
    let value = this.sum();
    if (Object.hasOwn(minutes, unit)) value = this.minutes(value, minutes[unit]);
    else if (!unit) {
      if (this.takes(percent)) value /= 100;
      while (this.takes(words));
    } else if (unit === "%") this.takes(percent);
    else this.named(unit);
    if (this.next) throw new NoNumber();
    return value;
  }

  /** A time in a unit of so many minutes: of "1 h 30 min" the sum. */
  minutes(value, asked) {
    if (!this.next) return value;
    let total = value * this.unitOfTime();
    while (this.next) {
      const part = this.sum();
      total += part * this.unitOfTime();
    }
    return total / asked;
  }

  unitOfTime() {
    const found = this.from(this.facts.minutes);
    if (found === undefined) throw new NoNumber();
    return found;
  }

  /** Read the words of a unit if they are there, of one thing or of several. */
  named(unit) {
    for (const word of unit.split(" "))
      if (this.next && !this.takes([word, word.replace(/s$/, "")])) throw new NoNumber();
  }

  sum() {
    let value = this.product();
    for (let sign = this.sign(); sign; sign = this.sign()) value += sign === "+" ? this.product() : -this.product();
    return value;
  }

  /** A product of powers; before a root or a bracket no sign is needed. */
  product() {
    let value = this.signed();
    for (;;) {
      if (this.takes(this.facts.divide)) value = divided(value, this.signed());
      else if (this.facts.multiply.includes(this.next) && this.place + 1 < this.tokens.length) {
        this.place += 1;
        value *= this.signed();
      } else if (["(", "√", "sqrt"].includes(this.next)) value *= this.power();
      else return value;
    }
  }

  signed() {
    return this.sign() === "-" ? -this.power() : this.power();
  }

  /** A power, whose exponent may be one. */
  power() {
    const base = this.atom();
    const exponent = this.takes(["^", "**"]) ? this.signed() : this.facts.small[this.next];
    if (exponent === undefined) return base;
    this.takes(Object.keys(this.facts.small));
    return power(base, exponent);
  }

  /** A number, a root, or what is in brackets. */
  atom() {
    if (this.takes(["("])) {
      const value = this.sum();
      if (!this.takes([")"])) throw new NoNumber();
      return value;
    }
    if (this.takes(["√", "sqrt"])) {
      const root = this.atom();
      if (root < 0) throw new NoNumber();
      return Math.sqrt(root);
    }
    if (this.plain.test(this.next)) {
      const value = Number(this.next.replace(",", "."));
      this.place += 1;
      return this.ofParts(value + (this.smallFraction() || this.fraction()));
    }
    return this.smallFraction() || this.words();
  }

  /** The fraction that follows a whole number, as in "1 1/2"; 0 if there is none. */
  fraction() {
    const [above = "", sign = "", below = ""] = this.tokens.slice(this.place, this.place + 3);
    if (sign !== "/" || !/^[0-9]+$/.test(above) || !/^[0-9]+$/.test(below)) return 0;
    this.place += 3;
    return divided(Number(above), Number(below));
  }

  /** A character such as ½ if it is there; 0 otherwise. */
  smallFraction() {
    return this.from(this.facts.fractions) ?? 0;
  }

  /** A number in words, up to hundreds. */
  words() {
    const alone = this.from(this.facts.alone);
    if (alone !== undefined) return alone;
    let value = this.takes(["a", "an"]) ? 1 : this.belowHundred();
    if (this.takes(["hundred"])) {
      value *= 100;
      if (Object.hasOwn(this.facts.tens, this.next) || Object.hasOwn(this.facts.units, this.next))
        value += this.belowHundred();
    }
    value = this.ofParts(value);
    return this.takes(["and"]) ? value + this.words() : value;
  }

  /** A number in words from zero to ninety-nine; 1 before a part alone. */
  belowHundred() {
    const { units, tens, parts } = this.facts, alone = this.from(units);
    if (alone !== undefined) return alone;
    const ten = this.from(tens);
    if (ten !== undefined) {
      const before = this.place;
      this.takes(["-"]);
      const unit = this.from(units);
      if (unit !== undefined) return ten + unit;
      this.place = before;
      return ten;
    }
    if (Object.hasOwn(parts, this.next) || this.next === "hundred") return 1;
    throw new NoNumber();
  }

  /** So many halves, thirds, ... if they are named next. */
  ofParts(value) {
    const part = this.from(this.facts.parts);
    return part === undefined ? value : value / part;
  }
}

/** A quotient, which Python refuses where the divisor is zero. */
function divided(value, by) {
  if (by === 0) throw new NoNumber();
  return value / by;
}

/** A power; what Python refuses (0 to a negative one, a root of a negative number, one too large) is no number. */
function power(base, exponent) {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Infinity)) return 1;
  const value = base ** exponent, given = Number.isFinite(base) && Number.isFinite(exponent);
  if (given && !Number.isFinite(value)) throw new NoNumber();
  return value;
}
