import type { ComponentChildren, JSX, TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { NewCorrection } from '../../client/waypoints/index.ts';
import type {
  TimelineLeg,
  TimelineStop,
  TimelineTrip,
  TripMode,
} from '../../model/timeline-result.ts';
import { guessOf, modeText, stayTime } from '../../model/timeline-words.ts';
import { nameOf, type DayStory } from './day.ts';
import { modeColour } from './map-style.ts';
import { Choice, IconButton } from './parts.tsx';
import { service } from './service.ts';
import { instant, target } from './state.ts';
import { clock, distance } from './words.ts';

/** Stays, trips and legs of a day, in the order of time; each can be corrected. */
export function CourseList({ story }: { readonly story: DayStory }): JSX.Element {
  return (
    <ol class="course" aria-label="Stays and trips">
      {story.stops.flatMap((stop) => {
        const trip = story.result.trips.find(({ from_stop }) => from_stop === stop.index);
        const legs = trip !== undefined && trip.legs.length > 1 ? trip.legs : [];
        return [
          stopItem(stop, story),
          trip && wayItem(trip, guessOf(trip), story.offsetMinutes),
          ...legs.map((leg) => wayItem(leg, modeText(leg), story.offsetMinutes)),
        ];
      })}
    </ol>
  );
}

/** A part of a timeline that its user may know better; a stay has no mode. */
type Part = Pick<NewCorrection, 'start_utc' | 'end_utc' | 'mode'> & {
  corrected?: true | undefined;
};

interface ItemProps {
  readonly part: Part;
  readonly offsetMinutes: number;
  /** Where the map goes. */
  readonly place?: TimelineStop;
  readonly children: ComponentChildren;
}

/** A button that leads to the begin of a stay or way, and one that corrects it. */
function Item({ part, offsetMinutes, place, children }: ItemProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const ms = instant.value ?? 0;
  const { mode, start_utc, end_utc, corrected } = part;
  // The ends of a way are those of stays.
  const inset = mode === undefined ? 0 : 1;
  const [startMs, endMs] = [Date.parse(start_utc) + inset, Date.parse(end_utc) - inset];
  const show = (): void => {
    instant.value = startMs;
    if (place !== undefined) target.value = { lat: place.lat, lon: place.lon, zoom: 15 };
  };
  return (
    <li
      class={mode === undefined ? 'stay' : 'trip'}
      style={{ '--mode': mode === undefined ? '' : modeColour(mode) }}
      aria-current={startMs <= ms && ms <= endMs ? 'time' : undefined}
    >
      <div class="row">
        <button class="grow" onClick={show}>
          {children}
          {corrected && <span>corrected</span>}
        </button>
        {place?.kind !== 'mark' && (
          <IconButton
            sign="✎"
            label={`Correct ${mode ?? 'the stay'} from ${clock(startMs, offsetMinutes)}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        )}
      </div>
      {isOpen && <CorrectForm part={part} onDone={() => setOpen(false)} />}
    </li>
  );
}

function stopItem(stop: TimelineStop, story: DayStory): JSX.Element {
  const { offsetMinutes: offset } = story;
  const { first_observation_utc: start_utc, last_observation_utc: end_utc, corrected } = stop;
  const from = stop.continues_before ? 'earlier' : clock(Date.parse(start_utc), offset);
  const to = stop.continues_after ? 'later' : clock(Date.parse(end_utc), offset);
  return (
    <Item
      key={`s${stop.index}`}
      part={{ start_utc, end_utc, corrected }}
      offsetMinutes={offset}
      place={stop}
    >
      <strong>{nameOf(stop, story)}</strong>
      <span>
        {from === to ? from : `${from} – ${to}`}
        {stop.duration_seconds > 0 && ` · ${stayTime(stop.duration_seconds)}`}
      </span>
    </Item>
  );
}

function wayItem(way: TimelineTrip | TimelineLeg, means: string, offset: number): JSX.Element {
  const isTrip = 'legs' in way;
  const seconds = (Date.parse(way.end_utc) - Date.parse(way.start_utc)) / 1_000;
  return (
    <Item key={`${isTrip ? 't' : 'l'}${way.start_utc}`} part={way} offsetMinutes={offset}>
      <span class={isTrip ? '' : 'leg'}>
        {means} · {distance(way.distance_m)} · {stayTime(Math.round(seconds))}
      </span>
    </Item>
  );
}

const modes = 'walk run bike car train boat flight unknown'
  .split(' ')
  .map((mode) => [mode] as const);

interface FormProps {
  readonly part: Part;
  readonly onDone: () => void;
}

/** Says how one moved, or that a stay was none; takes a correction back. */
function CorrectForm({ part, onDone }: FormProps): JSX.Element {
  const { start_utc, end_utc, mode, corrected } = part;
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const chosen = new FormData(event.currentTarget).get('mode') as TripMode | null;
    const known = chosen === null ? { kind: 'not_a_stay' as const } : { mode: chosen };
    // A notice tells a failure.
    service
      .addCorrection({ kind: 'mode', ...known, start_utc, end_utc })
      .then(onDone, () => undefined);
  };
  return (
    <form class="row" aria-label="Correction" onSubmit={submit}>
      {mode && <Choice label="Way of moving" name="mode" value={mode} options={modes} />}
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
async function takeBack({ start_utc: start, end_utc: end }: Part): Promise<void> {
  const { corrections } = await service.getCorrections();
  const found = corrections.find(
    (one) =>
      Date.parse(one.start_utc) <= Date.parse(end) && Date.parse(one.end_utc) >= Date.parse(start),
  );
  if (found !== undefined) await service.deleteCorrection(found.id);
}
