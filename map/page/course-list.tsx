import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TimelineLeg, TimelineStop, TimelineTrip } from '../../model/timeline-result.ts';
import { guessOf, modeText, stayTime } from '../../model/timeline-words.ts';
import { CorrectForm, type Correctable } from './correct-form.tsx';
import { nameOf, type DayStory } from './day.ts';
import { modeColour } from './map-style.ts';
import { IconButton } from './parts.tsx';
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
          stopItem(stop, story.offsetMinutes),
          trip && wayItem(trip, guessOf(trip), story.offsetMinutes),
          ...legs.map((leg) => wayItem(leg, modeText(leg), story.offsetMinutes)),
        ];
      })}
    </ol>
  );
}

interface ItemProps {
  readonly part: Correctable;
  readonly offsetMinutes: number;
  /** Where the map goes. */
  readonly place?: TimelineStop;
  /** Of a mark, which is no stay. */
  readonly isFixed?: boolean;
  readonly children: ComponentChildren;
}

/** A button that leads to the begin of a stay or way, and one that corrects it. */
function Item({ part, offsetMinutes, place, isFixed = false, children }: ItemProps): JSX.Element {
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
        {!isFixed && (
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

function stopItem(stop: TimelineStop, offset: number): JSX.Element {
  const { first_observation_utc: start_utc, last_observation_utc: end_utc, corrected } = stop;
  const from = stop.continues_before ? 'earlier' : clock(Date.parse(start_utc), offset);
  const to = stop.continues_after ? 'later' : clock(Date.parse(end_utc), offset);
  return (
    <Item
      key={`s${stop.index}`}
      part={{ start_utc, end_utc, corrected }}
      offsetMinutes={offset}
      place={stop}
      isFixed={stop.kind !== 'stay'}
    >
      <strong>{nameOf(stop)}</strong>
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
