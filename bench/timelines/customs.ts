import type { Random } from '../random.ts';

/** How somebody is held up on the way. */
interface Traffic {
  /** Metres a second. */
  readonly speed: readonly [low: number, high: number];
  /** A crossing that may stop them is passed about this often, metres. */
  readonly crossingM: number;
  /** How likely it does, and for how long, seconds. */
  readonly waitShare: number;
  readonly waitS: readonly [low: number, high: number];
  /** How likely a whole way has a jam or a stop for fuel. */
  readonly jamShare: number;
  readonly fuelShare: number;
}

export type Mode = 'walk' | 'cycle' | 'drive' | 'motorway';

/** How people get about in a part of the world. */
export interface Customs {
  readonly traffic: Readonly<Record<Mode, Traffic>>;
  /** @param metres of the way, as the crow flies. */
  readonly modeFor: (metres: number, random: Random) => Mode;
  /** Metres between corners, and how far beside the straight line they are at most. */
  readonly streets: {
    readonly cornerM: readonly [low: number, high: number];
    readonly asideM: number;
  };
}

export const usual: Customs = {
  traffic: {
    walk: {
      speed: [1.1, 1.7],
      crossingM: 250,
      waitShare: 0.25,
      waitS: [5, 50],
      jamShare: 0,
      fuelShare: 0,
    },
    cycle: {
      speed: [3.5, 6.5],
      crossingM: 400,
      waitShare: 0.25,
      waitS: [5, 50],
      jamShare: 0,
      fuelShare: 0,
    },
    drive: {
      speed: [7, 15],
      crossingM: 500,
      waitShare: 0.3,
      waitS: [10, 90],
      jamShare: 0.25,
      fuelShare: 0.08,
    },
    motorway: {
      speed: [24, 35],
      crossingM: 8_000,
      waitShare: 0.1,
      waitS: [10, 60],
      jamShare: 0.6,
      fuelShare: 0.2,
    },
  },
  modeFor: (metres, random) => {
    if (metres < 1_300) return random.unit() < 0.85 ? 'walk' : 'cycle';
    if (metres < 5_000) return random.unit() < 0.4 ? 'cycle' : 'drive';
    return 'drive';
  },
  streets: { cornerM: [120, 260], asideM: 120 },
};

/** A town of short blocks: fewer bicycles, longer walks, slower cars, and no jams. */
export const elsewhere: Customs = {
  traffic: {
    walk: { ...usual.traffic.walk, speed: [0.9, 1.5], crossingM: 120, waitS: [5, 30] },
    cycle: { ...usual.traffic.cycle, speed: [3, 7.5], crossingM: 600, waitShare: 0.15 },
    drive: {
      ...usual.traffic.drive,
      speed: [5.5, 17],
      crossingM: 300,
      waitShare: 0.2,
      jamShare: 0.1,
    },
    motorway: { ...usual.traffic.motorway, speed: [20, 31], jamShare: 0.3 },
  },
  modeFor: (metres, random) => {
    const chance = random.unit();
    if (chance < Math.exp(-metres / 1_100)) return 'walk';
    if (metres < 7_000 && chance > 0.85) return 'cycle';
    return 'drive';
  },
  streets: { cornerM: [90, 160], asideM: 90 },
};
