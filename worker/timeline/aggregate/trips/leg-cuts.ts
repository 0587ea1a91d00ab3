/** A moment at which the way of moving changes. */
export interface LegCut {
  readonly timeMs: number;
  /** MovementSums until then. */
  readonly sums: Float64Array;
}

/** A piece of the way that is looked at as a whole; time in ms, metres. */
interface Slot {
  untilMs: number;
  ms: number;
  metres: number;
  sums: Float64Array;
  readonly isSilent: boolean;
}

/** Long enough for a stop at a crossing not to look like a walk, ms. */
const slotMs = 60_000;
/** Two days by the minute; on a longer way pieces grow. */
const mostSlots = 2_880;
/** A leg lasts at least so long, ms, and leads at least so far, metres… */
const shortestMs = 600_000;
const shortestM = 500;
/** …and a slow one between two faster ones longer: a traffic jam crawls for up to 14 minutes, ms. */
const longestJamMs = 900_000;
/** Where observations are this far apart, ms, one of them has waiting in it, or two ways of moving. */
const sparseMs = 150_000;
/** A piece counts for no more minutes: standing still says little. */
const mostMinutes = 3;
/** How unlikely a change is, as a logarithm, … */
const changeCost = 7;
/** …and a speed that a way of moving never has. */
const never = 8;

/** How unlikely a mean speed (m/s, below the number on the left) is on foot, by bicycle, by car or train, in the air. */
const costs: readonly (readonly [below: number, ...costs: number[]])[] = [
  [0.4, 1, 1.5, 1.2, never],
  [2, 0, 2, 2, never],
  [2.6, 0.5, 1, 1.8, never],
  [3.4, 3, 0.2, 1.5, never],
  [5, 6, 0, 1.2, never],
  [7, never, 0.2, 0.6, never],
  [9, never, 2.5, 0, never],
  [45, never, never, 0, 3],
  [70, never, never, 1, 0.5],
  [Infinity, never, never, 4, 0],
];
const ways = costs[0]!.length - 1;
/** The way whose traffic has jams. */
const motor = 2;

/** Finds the moments of a trip at which the way of moving changes, by its speed from minute to minute. */
export class LegCuts {
  readonly #slots: Slot[] = [];
  #isOpen = false;
  #slotMs = slotMs;

  /** Adds a step. @param sums until its end; copied. */
  step(untilMs: number, ms: number, metres: number, sums: Float64Array): void {
    const open = this.#slots.at(-1);
    if (!this.#isOpen || open === undefined) this.#push(untilMs, ms, metres, sums, false);
    else {
      open.untilMs = untilMs;
      open.ms += ms;
      open.metres += metres;
    }
    this.#isOpen = true;
    if (this.#slots.at(-1)!.ms >= this.#slotMs) this.end(sums);
  }

  /** Ends the present piece. @param sums as of the last step. */
  end(sums: Float64Array): void {
    if (this.#isOpen) this.#slots.at(-1)!.sums = sums.slice();
    this.#isOpen = false;
  }

  /** Adds a silence, after {@link end}. @param sums until its end; copied. */
  silence(untilMs: number, ms: number, metres: number, sums: Float64Array): void {
    this.#push(untilMs, ms, metres, sums.slice(), true);
  }

  clear(): void {
    this.#slots.length = 0;
    this.#isOpen = false;
    this.#slotMs = slotMs;
  }

  /** Finds the cuts since the last stay. */
  cuts(): LegCut[] {
    const slots = this.#isOpen ? this.#slots.slice(0, -1) : this.#slots;
    const seen = slots.filter(({ isSilent }) => !isSilent);
    const seenMs = seen.reduce((sum, { ms }) => sum + ms, 0);
    if (seenMs < shortestMs || seenMs > sparseMs * seen.length) return [];
    return joined(runsOf(likeliestWays(slots), slots))
      .slice(1)
      .map(({ from }) => ({ timeMs: slots[from - 1]!.untilMs, sums: slots[from - 1]!.sums }));
  }

  #push(untilMs: number, ms: number, metres: number, sums: Float64Array, isSilent: boolean): void {
    if (this.#slots.length === mostSlots) this.#halve();
    this.#slots.push({ untilMs, ms, metres, sums, isSilent });
  }

  /** Makes one piece of each two. */
  #halve(): void {
    const slots = this.#slots;
    for (let i = 0; i < mostSlots; i += 2) {
      const [a, b] = [slots[i]!, slots[i + 1]!];
      slots[i / 2] = { ...b, ms: a.ms + b.ms, metres: a.metres + b.metres };
    }
    slots.length = mostSlots / 2;
    this.#slotMs *= 2;
  }
}

/** Pieces from one on that were gone in one way. */
interface Run {
  way: number;
  /** Index of the first piece. */
  readonly from: number;
  ms: number;
  metres: number;
}

/** The likeliest way of moving in each piece, where changes are unlikely (Viterbi). */
function likeliestWays(slots: readonly Slot[]): Uint8Array {
  const before = new Uint8Array(slots.length * ways);
  let cost = new Float64Array(ways);
  for (const [at, slot] of slots.entries()) {
    const next = new Float64Array(ways);
    const best = cost.indexOf(Math.min(...cost));
    for (let way = 0; way < ways; way += 1) {
      const isChange = cost[best]! + changeCost < cost[way]!;
      before[at * ways + way] = isChange ? best : way;
      next[way] = (isChange ? cost[best]! + changeCost : cost[way]!) + costOf(slot, way);
    }
    cost = next;
  }
  const found = new Uint8Array(slots.length);
  let way = cost.indexOf(Math.min(...cost));
  for (let at = slots.length - 1; at >= 0; at -= 1) {
    found[at] = way;
    way = before[at * ways + way]!;
  }
  return found;
}

function costOf({ ms, metres, isSilent }: Slot, way: number): number {
  const speed = (metres * 1_000) / Math.max(1, ms);
  const [, ...row] = costs.find(([below]) => speed < below)!;
  // Whatever was done in a silence, it was at least as fast as its ends are far apart.
  if (isSilent && row[way]! < never) return 0;
  return row[way]! * Math.min(mostMinutes, ms / slotMs);
}

function runsOf(found: Uint8Array, slots: readonly Slot[]): Run[] {
  return together(slots.map(({ ms, metres }, from) => ({ way: found[from]!, from, ms, metres })));
}

/** Makes one run of neighbours that were gone in one way. */
function together(runs: readonly Run[]): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (last?.way === run.way) {
      last.ms += run.ms;
      last.metres += run.metres;
    } else all.push({ ...run });
  }
  return all;
}

/** Adds jams, and runs that are too short for a leg, to the longer run beside them, the shortest first. */
function joined(runs: readonly Run[]): Run[] {
  let all = runs;
  for (;;) {
    const isShort = ({ ms, metres }: Run): boolean => ms < shortestMs || metres < shortestM;
    const short = all.find(isJam) ?? all.filter(isShort).toSorted((a, b) => a.ms - b.ms)[0];
    if (short === undefined || all.length === 1) return [...all];
    const at = all.indexOf(short);
    const [before, after] = [all[at - 1], all[at + 1]];
    const isBefore = after === undefined || (before?.ms ?? 0) > after.ms;
    short.way = (isBefore ? before : after)!.way;
    all = together(all);
  }
}

/** Whether a run is slow, between two by car, and no longer than a jam. */
function isJam({ way, ms }: Run, at: number, runs: readonly Run[]): boolean {
  const isInTraffic = runs[at - 1]?.way === motor && runs[at + 1]?.way === motor;
  return isInTraffic && way < motor && ms < longestJamMs;
}
