import type { JSX, TargetedSubmitEvent } from 'preact';
import type { NewCorrection } from '../../client/waypoints/index.ts';
import type { TripMode } from '../../model/timeline-result.ts';
import { service } from './service.ts';
import { Choice } from './parts.tsx';

const modes: readonly TripMode[] = 'walk run bike car train boat flight unknown'.split(' ') as [];

/** A part of a timeline that its user may know better. */
export interface Correctable extends Pick<NewCorrection, 'start_utc' | 'end_utc'> {
  /** Of a way; a stay has none. */
  readonly mode?: TripMode;
  readonly corrected?: true | undefined;
}

interface CorrectFormProps {
  readonly part: Correctable;
  readonly onDone: () => void;
}

/** Says how one moved, or that a stay was none; takes a correction back. */
export function CorrectForm({ part, onDone }: CorrectFormProps): JSX.Element {
  const { start_utc, end_utc, mode, corrected } = part;
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const chosen = new FormData(event.currentTarget).get('mode') as TripMode | null;
    const known = chosen === null ? { kind: 'not_a_stay' as const } : { mode: chosen };
    // What fails is told by a notice.
    service
      .addCorrection({ kind: 'mode', ...known, start_utc, end_utc })
      .then(onDone, () => undefined);
  };
  return (
    <form class="row" aria-label="Correction" onSubmit={submit}>
      {mode && (
        <Choice
          label="Way of moving"
          name="mode"
          value={mode}
          options={modes.map((one) => [one])}
        />
      )}
      <button class="small">{mode ? 'Correct' : 'This was no stay'}</button>
      {corrected && (
        <button type="button" class="small" onClick={() => void takeBack(part).then(onDone)}>
          Take it back
        </button>
      )}
    </form>
  );
}

/** Deletes the newest correction of a time; those before it apply again. */
async function takeBack({ start_utc: start, end_utc: end }: Correctable): Promise<void> {
  const { corrections } = await service.getCorrections();
  const found = corrections.find(
    (one) =>
      Date.parse(one.start_utc) <= Date.parse(end) && Date.parse(one.end_utc) >= Date.parse(start),
  );
  if (found !== undefined) await service.deleteCorrection(found.id);
}
