/** Features of a way whose fixes are many minutes apart. */
export interface FewFixes {
  readonly metres: number;
  /** From the last fix at the one stop to the first at the other: what was not on the way was spent there. */
  readonly seconds: number;
  /** Fixes on the way. */
  readonly fixes: number;
  /** The legs from the stop and to the other one, if no silence is there; they hold waiting, too. */
  readonly ends: readonly Leg[];
  /** Between the first and the last fix on the way. */
  readonly middle: Leg;
}

interface Leg {
  readonly metres: number;
  readonly seconds: number;
}

/** With waiting on the way: half of all are faster than this, m/s; deviation of its logarithm. */
const speeds = { walk: [1.4, 0.22], bike: [4.1, 0.3], car: [7, 0.42] } as const;
type SlowMode = keyof typeof speeds;
/** Over longer ways, metres, roads are faster: by this power of the distance. */
const townM = 4_000;
const roadPower = 0.3;
const shortestM = 500;
/**
 * How many go on foot and by bicycle, of those who go 0.5, 1, 2, 4, 8 and 16 km: between what surveys say of Western Europe
 * and of the Netherlands, so that a bicycle is not lightly taken for a car.
 */
const shares = {
  walk: [0.86, 0.7, 0.25, 0.06, 0.01, 0.001],
  bike: [0.1, 0.18, 0.25, 0.22, 0.08, 0.015],
};
/** A normal distribution in eight parts: where each is, in deviations, and how much. */
const parts = [
  [-1.75, 0.07],
  [-1.15, 0.13],
  [-0.7, 0.15],
  [-0.23, 0.15],
  [0.23, 0.15],
  [0.7, 0.15],
  [1.15, 0.13],
  [1.75, 0.07],
] as const;
/** The speed between two fixes on the way may differ so much from that of the whole: deviation of its logarithm. */
const unevenness = 0.4;
/** A shorter leg is as often an error of the receiver, metres. */
const leastM = 35;
/** Whatever is that unlikely is an error of the recorder; so no mode is ruled out. */
const doubt = 1e-3;

/**
 * The mode that best explains few fixes, and how sure that is. Each mode has its speeds, and its share of the ways of this
 * length. The fixes come when they come: each moment of setting out that leaves room for the way between them counts.
 */
export function likeliestMode(way: FewFixes): { readonly mode: SlowMode; readonly share: number } {
  const [walk, bike] = [shareOf(shares.walk, way.metres), shareOf(shares.bike, way.metres)];
  const all = (
    [
      ['walk', walk],
      ['bike', bike],
      ['car', 1 - walk - bike],
    ] as const
  ).map(([mode, share]) => ({ mode, weight: share * likelihood(mode, way) }));
  const best = all.reduce((a, b) => (b.weight > a.weight ? b : a));
  return { mode: best.mode, share: best.weight / all.reduce((sum, { weight }) => sum + weight, 0) };
}

/** Between the distances of the table in proportion. */
function shareOf(table: readonly number[], metres: number): number {
  const last = table.length - 1;
  const at = Math.min(last, Math.max(0, Math.log2(metres / shortestM)));
  const [low, high] = [table[Math.floor(at)]!, table[Math.ceil(at)]!];
  return low * (high / low) ** (at % 1);
}

function likelihood(mode: SlowMode, { metres, seconds, fixes, ends, middle }: FewFixes): number {
  const [usual, deviation] = speeds[mode];
  const median = mode === 'car' ? usual * Math.max(1, metres / townM) ** roadPower : usual;
  let sum = 0;
  for (const [at, weight] of parts) {
    const speed = median * Math.exp(deviation * at);
    // Without a fix on the way it may have begun at any moment that leaves time for it…
    if (fixes === 0) sum += weight * Math.max(0, seconds - metres / speed);
    // …else that fix says when, the more exactly the faster.
    else if (ends.every((leg) => leg.metres <= speed * leg.seconds)) {
      sum += (weight / speed) * evenness(middle, speed);
    }
  }
  return sum + doubt * (fixes === 0 ? 1 : 1 / median);
}

function evenness(middle: Leg, speed: number): number {
  if (middle.metres < leastM || middle.seconds <= 0) return 1;
  const differs = Math.log(middle.metres / middle.seconds / speed) / unevenness;
  return Math.exp((-differs * differs) / 2);
}
