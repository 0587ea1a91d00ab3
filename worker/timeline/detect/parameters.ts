import { stayParameters, type StayParameters } from '../stay-parameters.ts';

/** All numbers of the detection; times in ms, distances in metres. */
export interface DetectionParameters {
  readonly radiusM: number;
  readonly minStopMs: number;
  readonly silenceMs: number;
  readonly maxBridgeMs: number;
  readonly mergeMs: number;
  /** Less than `minStopMs`: what happens outside a stay cannot become another one before the first has ended. */
  readonly excursionMs: number;
  /** Points of a stay may drift further from its centre than those that begin it. */
  readonly insideM: number;
  /** Points this near to the centre are surely of the stay: on foot the way out of `insideM` takes more than a minute. */
  readonly coreM: number;
  /** Where points are further apart in time, all within `radiusM` are near enough to the centre. */
  readonly sparseMs: number;
  /** Points between core and edge this long before the first outside belong to the stay. */
  readonly edgeMs: number;
  /** The running centre follows at least this much: what drifts with the hours stays inside. */
  readonly minCentreWeight: number;
  /** A pause in recording that may hide the end of a stay. */
  readonly gapMs: number;
  /** So long at one place before a gap is a rest. */
  readonly restMs: number;
  /** …and where the gap is longer than an hour. */
  readonly longRestMs: number;
  /** A point this near to a stay after a gap, with the way going on from there, means a departure just then. */
  readonly nearM: number;
  /** The lowest speed in transit, m/s: slowly on foot. */
  readonly strollSpeed: number;
  /** How fast, as the crow flies, the way in a gap beside a stay was at least, m/s: on foot where the gap is long enough for that, … */
  readonly footSpeed: number;
  /** …else by what is hardly slower than a bicycle. The rest of the gap was spent at its ends. */
  readonly rideSpeed: number;
  /** …but a return from further off than this ends an excursion. */
  readonly farM: number;
  /** Where 90 % of a stay's points only lie within more than this, the receiver errs widely: the stay is scattered. */
  readonly scatteredM: number;
  /** A scattered stay and one whose centre is this near are one… */
  readonly scatteredJoinM: number;
  /** …if the pause between them is not longer, has no silence, and no point further off than `strayM`. */
  readonly strayMs: number;
  readonly strayM: number;
  /** What lies between two longer silences and is no stay is a mark. */
  readonly loneMs: number;
}

export function detectionParameters(stay: StayParameters = stayParameters): DetectionParameters {
  return {
    radiusM: stay.stopRadiusM,
    minStopMs: stay.minStopSeconds * 1_000,
    silenceMs: stay.silenceSeconds * 1_000,
    maxBridgeMs: stay.maxBridgeSeconds * 1_000,
    mergeMs: stay.mergeSeconds * 1_000,
    excursionMs: stay.excursionSeconds * 1_000,
    insideM: stay.stopRadiusM * 1.15,
    coreM: stay.stopRadiusM * 0.5,
    sparseMs: 150_000,
    edgeMs: 120_000,
    minCentreWeight: 1 / 2_000,
    gapMs: 180_000,
    restMs: 90_000,
    longRestMs: 30_000,
    nearM: stay.stopRadiusM * 4,
    strollSpeed: 1,
    footSpeed: 1.5,
    rideSpeed: 4,
    farM: stay.stopRadiusM * 1.5,
    scatteredM: stay.stopRadiusM * 0.6,
    scatteredJoinM: stay.stopRadiusM * 2,
    strayMs: 1_800_000,
    strayM: stay.stopRadiusM * 3,
    loneMs: 1_800_000,
  };
}
