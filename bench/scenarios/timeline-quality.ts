import { percentile } from '../measure/statistics.ts';
import { atMost, atLeast } from '../report/figure.ts';
import { scenario } from '../scenario.ts';
import { builtinGeodata } from '../timelines/builtin-geodata.ts';
import { evaluate } from '../timelines/evaluate.ts';
import { profiles, type Profile } from '../timelines/profile.ts';
import { tripSharesOf } from '../timelines/trip-score.ts';
import { dwellPrecisionOf, f1Of, staysRatioOf, sumOf, type Exactness } from '../timelines/score.ts';

/** Seeds that nothing was ever tuned on begin here; those below are for trying. */
const firstSeed = 1_000;
/** A journey takes a second: enough to see that it runs. */
const quickProfiles = 2;

/** Whether stays are found where somebody stayed: generated journeys, imported as files, against the truth. */
export const timelineQuality = scenario<Profile, undefined>({
  name: 'timeline-quality',
  title: 'stays found in generated journeys',
  subjects: ({ isQuick }) =>
    profiles
      .filter(({ goalF1 }) => goalF1 !== undefined)
      .slice(0, isQuick ? quickProfiles : Infinity),
  rounds: () => 1,
  label: ({ name }) => name,
  prepare: () => Promise.resolve(undefined),
  run: ({ plan }, _prepared, profile) => {
    const seeds = Array.from({ length: plan.journeys }, (_, i) => firstSeed + i);
    const scores = seeds.map((seed) => evaluate(profile, seed, builtinGeodata()));
    const score = sumOf(scores);
    return Promise.resolve({
      f1: f1Of(score),
      dwell: dwellPrecisionOf(score),
      pieces: score.pieces.length,
      ratio: staysRatioOf(score),
      departure: percentile(score.departureErrorsS, 0.9),
      nights: exactShare(score.nights),
      days: exactShare(score.recordedDays),
      worstF1: Math.min(...scores.map(f1Of)),
      ...tripSharesOf(score.trips),
    });
  },
  figures: ({ goalF1, goalWorstF1, intervalS, isExact, hasPieces = false }) => [
    { what: 'F1 of stays', unit: 'of 1', of: 'f1', bar: atLeast(goalF1 ?? 0) },
    {
      what: 'F1 of stays, worst journey',
      unit: 'of 1',
      of: 'worstF1',
      bar: goalWorstF1 === undefined ? undefined : atLeast(goalWorstF1),
    },
    { what: 'precision of dwell time', unit: 'of 1', of: 'dwell', bar: atLeast(0.98) },
    {
      what: 'stays in pieces',
      unit: 'stays',
      of: 'pieces',
      bar: hasPieces ? undefined : atMost(0),
    },
    { what: 'stays said for each true one', unit: 'stays', of: 'ratio', bar: atMost(1.2) },
    {
      what: 'error of departures, p90',
      unit: 's',
      of: 'departure',
      bar: atMost(isExact === true ? 90 : undefined),
    },
    { what: 'countries with exact nights', unit: 'of 1', of: 'nights', bar: atLeast(1) },
    { what: 'countries with exact recorded days', unit: 'of 1', of: 'days', bar: atLeast(1) },
    {
      what: 'modes right, of those told',
      unit: 'of 1',
      of: 'right',
      // One or two fixes tell less of a way.
      bar: atLeast(intervalS[0] === 'between' ? 0.85 : 0.9),
    },
    { what: 'flights told as such', unit: 'of 1', of: 'flights', bar: atLeast(0.98) },
    {
      what: 'error of distances, median',
      unit: 'of 1',
      of: 'distance',
      bar: atMost(isExact === true ? 0.05 : undefined),
    },
  ],
});

function exactShare({ known, differences }: Exactness): number {
  return known === 0 ? 0 : 1 - differences.length / known;
}
