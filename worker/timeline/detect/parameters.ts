import { stayParameters, type StayParameters } from '../../../model/stay-parameters.ts';

/** All numbers of the detection; times in ms, distances in metres. */
export interface DetectionParameters {
  readonly radiusM: number;
  readonly minStopMs: number;
  readonly silenceMs: number;
  readonly maxBridgeMs: number;
  readonly mergeMs: number;
  /** Less than `minStopMs`: what happens outside a stay cannot become another one before the first has ended. */
  readonly excursionMs: number;
  /** Who is in a stay may drift further from its centre than who comes to it. */
  readonly insideM: number;
  /** The first and the second half of a stay are around the same centre; those of a crawl are not. */
  readonly crawlM: number;
  /** The running centre follows at least this much: what drifts with the hours stays inside. */
  readonly minCentreWeight: number;
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
    crawlM: stay.stopRadiusM * 0.6,
    minCentreWeight: 1 / 2_000,
    loneMs: 1_800_000,
  };
}
