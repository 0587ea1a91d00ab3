import { stayParameters, type StayParameters } from '../stay-parameters.ts';

export type DetectionParameters = Readonly<ReturnType<typeof detectionParameters>>;

/** All numbers of the detection; times in ms, distances in metres. */
export function detectionParameters(stay: StayParameters = stayParameters) {
  return {
    radiusM: stay.stopRadiusM,
    minStopMs: stay.minStopSeconds * 1_000,
    silenceMs: stay.silenceSeconds * 1_000,
    maxBridgeMs: stay.maxBridgeSeconds * 1_000,
    mergeMs: stay.mergeSeconds * 1_000,
    /** Less than `minStopMs`: what happens outside a stay cannot become another one before the first has ended. */
    excursionMs: stay.excursionSeconds * 1_000,
    /** Points of a stay may drift further from its centre than those that begin it. */
    insideM: stay.stopRadiusM * 1.15,
    /** Points this near to the centre are surely of the stay: on foot it is more than a minute to the edge of `insideM`. */
    coreM: stay.stopRadiusM * 0.5,
    /** Where points are further apart in time, all within `radiusM` are near enough to the centre. */
    sparseMs: 150_000,
    /** Points between core and edge this long before the first outside belong to the stay. */
    edgeMs: 120_000,
    /** The running centre follows at least this much: what drifts with the hours stays inside. */
    minCentreWeight: 1 / 2_000,
    /** A pause in recording that may hide the end of a stay. */
    gapMs: 180_000,
    /** So long at one place before a gap is a rest. */
    restMs: 90_000,
    /** …and where the gap is longer than an hour. */
    longRestMs: 30_000,
    /** A silence this long that ends near a stay is part of it, however the receiver errs when it wakes up… */
    wakeUpMs: 1_200_000,
    /** …but not one that begins so soon after another stay, if the way then leads back there: it is part of an outing. */
    outingMs: 900_000,
    /** A point this near to a stay after a gap, with the way going on from there, means a departure just then. */
    nearM: stay.stopRadiusM * 4,
    /** The lowest speed in transit, m/s: slowly on foot. */
    strollSpeed: 1,
    /** How fast, as the crow flies, the way in a gap beside a stay was at least, m/s: on foot where the gap is long enough for that, … */
    footSpeed: 1.5,
    /** …else by what is hardly slower than a bicycle. The rest of the gap was spent at its ends. */
    rideSpeed: 4,
    /** …but a return from further off than this ends an excursion. */
    farM: stay.stopRadiusM * 1.5,
    /** Where 90 % of a stay's points only lie within more than this, the receiver errs widely: the stay is scattered. */
    scatteredM: stay.stopRadiusM * 0.6,
    /** A scattered stay and one whose centre is this near are one… */
    scatteredJoinM: stay.stopRadiusM * 2,
    /** …if the pause between them is not longer, has no silence, and no point further off than `strayM`. */
    strayMs: 1_800_000,
    strayM: stay.stopRadiusM * 3,
    /** A gap no longer than this, beside a stay whose own fixes are nearly as far apart, is the pace of the recorder. */
    slowPaceMs: 5_400_000,
    /** A lone fix between two such gaps is of a stay where the ways to its neighbours, on foot, leave this share of them. */
    restShare: 0.75,
    /** A way between two longer silences is a mark. */
    loneMs: 1_800_000,
  };
}
