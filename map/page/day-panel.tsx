import type { JSX } from 'preact';
import type { TimelineStop, TimelineTrip } from '../../model/timeline-result.ts';
import { archive, neighbour } from './archive.ts';
import { dayStory, stopAt, type DayStory } from './day.ts';
import { DayChart } from './day-chart.tsx';
import { Failed, Waiting } from './parts.tsx';
import { day, instant, target } from './state.ts';
import { pointAt } from './track-points.ts';
import { clock, dateOfNumber, dayNumber, distance, duration, longDate, several } from './words.ts';

/** The stays and trips of one day. */
export function DayPanel(): JSX.Element {
  const story = dayStory.value;
  return (
    <>
      <DayChooser />
      {story.state === 'none' && (
        <p class="hint">Choose a day above, in the bar below the map, or by a click on a track.</p>
      )}
      {story.state === 'loading' && <Waiting what="the day" />}
      {story.state === 'failed' && <Failed sentence={story.sentence} />}
      {story.state === 'ready' && <Story story={story.value} />}
    </>
  );
}

function DayChooser(): JSX.Element {
  const known = archive.value;
  const shown = day.value;
  const today = dayNumber(new Date().toISOString().slice(0, 10));
  const number = shown === undefined ? today + 1 : dayNumber(shown);
  const [before, after] = [-1 as const, 1 as const].map((step) =>
    known === undefined ? undefined : neighbour(known, number, step),
  );
  const go = (to: number | undefined) => (): void => {
    if (to !== undefined) day.value = dateOfNumber(to);
  };
  return (
    <div class="row day-chooser">
      <button type="button" class="icon" disabled={before === undefined} onClick={go(before)}>
        <span aria-hidden="true">‹</span>
        <span class="unseen">Day before with tracks</span>
      </button>
      <label class="grow">
        <span class="unseen">Day</span>
        <input
          type="date"
          value={shown ?? ''}
          onChange={({ currentTarget: { value } }) => (day.value = value || undefined)}
        />
      </label>
      <button type="button" class="icon" disabled={after === undefined} onClick={go(after)}>
        <span aria-hidden="true">›</span>
        <span class="unseen">Next day with tracks</span>
      </button>
    </div>
  );
}

function Story({ story }: { readonly story: DayStory }): JSX.Element {
  const { result, date, course } = story;
  const stops = result.timeline.filter(({ kind }) => kind !== 'pass');
  const isEmpty = stops.length === 0 && course.times.length === 0;
  return (
    <section aria-label={longDate(date)}>
      <h2>{longDate(date)}</h2>
      {isEmpty ? (
        <p class="hint">Nothing was recorded on this day.</p>
      ) : (
        <>
          <p class="hint">
            {several(stops.length, 'stay')} · {several(result.trips.length, 'trip')} ·{' '}
            {distance(result.summary.distance_m)}
          </p>
          <TimeSlider story={story} />
          <DayChart story={story} />
          <StopsAndTrips story={story} stops={stops} />
        </>
      )}
    </section>
  );
}

const sliderStepMs = 10_000;

function TimeSlider({ story }: { readonly story: DayStory }): JSX.Element {
  const ms = instant.value ?? story.startMs;
  const time = clock(ms, story.offsetMinutes);
  const doing = doingAt(story, ms);
  return (
    <div class="slider">
      <div class="row">
        <label class="grow" for="time">
          Time of day
        </label>
        <output for="time">{time}</output>
      </div>
      <input
        id="time"
        type="range"
        min={story.startMs}
        max={story.endMs - 1}
        step={sliderStepMs}
        value={ms}
        aria-valuetext={`${time}, ${doing}`}
        onInput={({ currentTarget }) => (instant.value = currentTarget.valueAsNumber)}
      />
      <p class="hint one-line">{doing}</p>
    </div>
  );
}

function doingAt({ result, course }: DayStory, ms: number): string {
  const stop = stopAt(result, ms);
  if (stop !== undefined) return nameOf(stop);
  const trip = result.trips.find(
    ({ start_utc, end_utc }) => Date.parse(start_utc) <= ms && ms <= Date.parse(end_utc),
  );
  if (trip !== undefined) return tripWords[trip.mode];
  return pointAt(course, ms) === undefined ? 'Nothing known' : tripWords.unknown;
}

const tripWords: Readonly<Record<TimelineTrip['mode'], string>> = {
  walk: 'On foot',
  run: 'Running',
  bike: 'By bicycle',
  car: 'By car',
  train: 'By train',
  boat: 'By boat',
  flight: 'In the air',
  unknown: 'On the way',
};

function nameOf({ local_admin, locality, region, country }: TimelineStop): string {
  const place = [...new Set([local_admin, locality || region, country])].filter(
    (name) => name !== '',
  );
  return place.join(', ') || 'At sea or unknown';
}

interface StopsAndTripsProps {
  readonly story: DayStory;
  readonly stops: readonly TimelineStop[];
}

/** Stays and the ways between them, in the order of time. */
function StopsAndTrips({ story, stops }: StopsAndTripsProps): JSX.Element {
  const ms = instant.value ?? story.startMs;
  const trips = new Map(story.result.trips.map((trip) => [trip.from_stop, trip]));
  return (
    <ol class="course" aria-label="Stays and trips">
      {stops.map((stop) => {
        const trip = trips.get(stop.index);
        return [
          <StopItem key={`s${stop.index}`} stop={stop} story={story} ms={ms} />,
          trip && <TripItem key={`t${trip.index}`} trip={trip} ms={ms} />,
        ];
      })}
    </ol>
  );
}

interface StopItemProps {
  readonly stop: TimelineStop;
  readonly story: DayStory;
  readonly ms: number;
}

function StopItem({ stop, story: { offsetMinutes }, ms }: StopItemProps): JSX.Element {
  const [first, last] = [stop.first_observation_utc, stop.last_observation_utc].map(Date.parse) as [
    number,
    number,
  ];
  const show = (): void => {
    instant.value = first;
    target.value = { lat: stop.lat, lon: stop.lon, zoom: 15 };
  };
  const from = stop.continues_before ? 'earlier' : clock(first, offsetMinutes);
  const to = stop.continues_after ? 'later' : clock(last, offsetMinutes);
  return (
    <li class="stay" aria-current={first <= ms && ms <= last ? 'time' : undefined}>
      <button type="button" onClick={show}>
        <strong>{nameOf(stop)}</strong>
        <span>
          {from === to ? from : `${from} – ${to}`}
          {stop.duration_seconds > 0 && ` · ${duration(stop.duration_seconds)}`}
        </span>
      </button>
    </li>
  );
}

function TripItem({ trip, ms }: { readonly trip: TimelineTrip; readonly ms: number }): JSX.Element {
  const [first, last] = [Date.parse(trip.start_utc), Date.parse(trip.end_utc)];
  const show = (): void => {
    instant.value = first;
  };
  return (
    <li class="trip" aria-current={first < ms && ms < last ? 'time' : undefined}>
      <button type="button" onClick={show}>
        <span>
          {tripWords[trip.mode]} · {distance(trip.distance_m)} · {duration(trip.duration_seconds)}
        </span>
      </button>
    </li>
  );
}
