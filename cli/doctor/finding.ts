import type { Fault } from '../../daemon/faults.ts';

/**
 * How a finding is meant: `problem` keeps something from working or data from being safe; `warning` may do so; `note` is
 * worth knowing; `ok` is as it should be.
 */
export type FindingLevel = 'ok' | 'note' | 'warning' | 'problem';

/** One thing that was looked at. Neither text holds a place, a name or a token; directories of ours are named. */
export interface Finding {
  readonly area: string;
  readonly level: FindingLevel;
  /** One sentence without its full stop. */
  readonly text: string;
  readonly remedy?: string;
}

export function findingsOf(area: string) {
  const make =
    (level: FindingLevel) =>
    (text: string, remedy?: string): Finding => ({
      area,
      level,
      text,
      ...(remedy === undefined ? {} : { remedy }),
    });
  const problem = make('problem');
  return {
    ok: make('ok'),
    note: make('note'),
    warning: make('warning'),
    problem,
    /** The refusal of a start. */
    fault: ({ text, remedy, command }: Fault) => problem(text, command ?? remedy),
  };
}
