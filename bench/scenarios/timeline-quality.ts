import { percentile } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import type { Scenario, Session } from '../session.ts';
import { builtinGeodata } from '../timelines/builtin-geodata.ts';
import { evaluate } from '../timelines/evaluate.ts';
import { profiles, type Profile } from '../timelines/profile.ts';
import {
  dwellPrecisionOf,
  f1Of,
  precisionOf,
  recallOf,
  sumOf,
  type Exactness,
  type Score,
} from '../timelines/score.ts';

const name = 'timeline-quality';
/** Seeds that nothing was ever tuned on begin here; those below are for trying. */
const firstSeed = 1_000;
const leastDwellPrecision = 0.98;
const latestDepartureS = 90;
/** A journey takes a second: enough to see that it runs. */
const quickProfiles = 3;

/** Whether stays are found where somebody stayed: generated journeys, imported as files, against the truth. */
export const timelineQuality: Scenario = {
  name,
  title: 'stays found in generated journeys',
  async *run(session) {
    const seeds = Array.from({ length: session.plan.journeys }, (_, i) => firstSeed + i);
    const { isQuick } = session.plan;
    for (const profile of isQuick ? profiles.slice(0, quickProfiles) : profiles) {
      const scores = seeds.map((seed) => evaluate(profile, seed, builtinGeodata()));
      yield* figuresOf(session, profile, sumOf(scores));
    }
  },
};

function figuresOf({ plan }: Session, profile: Profile, score: Score): Figure[] {
  const isMeasured = !plan.isQuick && profile.goalF1 !== undefined;
  const line = { scenario: name, subject: profile.name };
  const share = (what: string, value: number, atLeast?: number): Figure => ({
    ...line,
    what,
    unit: 'of 1',
    value,
    bar: isMeasured && atLeast !== undefined ? { of: 'figure', atLeast } : undefined,
  });
  const departureBar = isMeasured && profile.isExact === true;
  return [
    share('F1 of stays', f1Of(score), profile.goalF1),
    share('precision of stays', precisionOf(score)),
    share('recall of stays', recallOf(score)),
    share('precision of dwell time', dwellPrecisionOf(score), leastDwellPrecision),
    {
      ...line,
      what: 'stays in pieces',
      unit: 'stays',
      value: score.pieces.length,
      bar: isMeasured ? { of: 'figure', atMost: 0 } : undefined,
    },
    { ...line, what: 'error of departures, p50', unit: 's', value: departure(score, 0.5) },
    {
      ...line,
      what: 'error of departures, p90',
      unit: 's',
      value: departure(score, 0.9),
      bar: departureBar ? { of: 'figure', atMost: latestDepartureS } : undefined,
    },
    share('countries with exact nights', exactShare(score.nights), 1),
    share('countries with exact recorded days', exactShare(score.recordedDays), 1),
  ];
}

function departure({ departureErrorsS }: Score, part: number): number | undefined {
  return departureErrorsS.length === 0 ? undefined : percentile(departureErrorsS, part);
}

function exactShare({ known, differences }: Exactness): number {
  return known === 0 ? 0 : 1 - differences.length / known;
}
