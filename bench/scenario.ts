import { medianOf } from './measure/statistics.ts';
import type { Plan } from './plan.ts';
import type { Bar, Figure, Unit } from './report/figure.ts';
import type { Session } from './session.ts';

/** Readings of one round, by name; undefined where this system cannot measure it. */
export type Readings = Readonly<Record<string, number | undefined>>;

/** A figure that is made of readings, the medians of all rounds. */
export interface FigureSpec {
  readonly what: string;
  readonly unit: Unit;
  /** The reading. */
  readonly of: string;
  /** Baseline: its name, its reading and the meaning of the ratio. */
  readonly against?: readonly [name: string, of: string, ratio: 'gain' | 'cost'] | undefined;
  readonly bar?: Bar | undefined;
}

/** One question that the bench answers: what is prepared for each subject, then measured round after round, and judged. */
export interface Scenario<Subject, Prepared> {
  readonly name: string;
  /** Subject of the figures, a few words. */
  readonly title: string;
  readonly subjects: (plan: Plan) => readonly Subject[];
  /** Instead of the plan's; what runs for minutes runs once, and says so. */
  readonly rounds?: (plan: Plan, subject: Subject) => number;
  /** Ends what the subject started and removes what it wrote. */
  readonly prepare: (session: Session, subject: Subject) => Promise<Prepared>;
  readonly run: (session: Session, prepared: Prepared, subject: Subject) => Promise<Readings>;
  readonly label: (subject: Subject, prepared: Prepared) => string;
  /** Those without a reading are left out. */
  readonly figures: (subject: Subject, prepared: Prepared) => readonly FigureSpec[];
}

/** A scenario of any kind of subject. */
export interface AnyScenario {
  readonly name: string;
  readonly title: string;
  /** Gives the figures of each subject when they are measured, so that a later failure does not lose them. */
  readonly measure: (session: Session) => AsyncIterable<Figure>;
}

export function scenario<Subject, Prepared>(of: Scenario<Subject, Prepared>): AnyScenario {
  return {
    name: of.name,
    title: of.title,
    async *measure(session) {
      for (const subject of of.subjects(session.plan))
        yield* await measureOne(session, of, subject);
    },
  };
}

async function measureOne<Subject, Prepared>(
  session: Session,
  of: Scenario<Subject, Prepared>,
  subject: Subject,
): Promise<Figure[]> {
  const { plan } = session;
  const prepared = await of.prepare(session, subject);
  const rounds = of.rounds?.(plan, subject) ?? plan.rounds;
  const readings: Readings[] = [];
  for (let round = 0; round < rounds; round += 1) {
    readings.push(await of.run(session, prepared, subject));
  }
  await session.clear();
  const value = (key: string): number | undefined => medianOf(readings.map((round) => round[key]));
  const once = rounds < plan.rounds ? ', once' : '';
  return of
    .figures(subject, prepared)
    .filter((spec) => readings.some((round) => spec.of in round))
    .map(({ what, unit, of: key, against, bar }) => ({
      scenario: of.name,
      subject: of.label(subject, prepared) + once,
      what,
      unit,
      value: value(key),
      baseline: against && { name: against[0], value: value(against[1]), ratio: against[2] },
      // Tiny data tells nothing.
      bar: plan.isQuick ? undefined : bar,
    }));
}

/** `1,000 waypoints`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}`;
}

/** Cost between two readings; undefined if either is missing. */
export function difference(
  after: number | undefined,
  before: number | undefined,
): number | undefined {
  return after === undefined || before === undefined ? undefined : after - before;
}
