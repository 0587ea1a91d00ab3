import type { ComponentChildren, JSX } from 'preact';
import type { TimelineStop, TimelineTrip } from '../../model/timeline-result.ts';
import { archive } from './archive.ts';
import { dayStory, stopAt, type DayStory } from './day.ts';
import { DayChart } from './day-chart.tsx';
import { ExportBox } from './export-box.tsx';
import { DateField, Shown, Stepper } from './parts.tsx';
import { day, instant, target } from './state.ts';
import { modeColour } from './map-style.ts';
import { pointAt } from './track-points.ts';
import { guessOf, modeText, placeOf, stayTime } from '../../model/timeline-words.ts';
import { clock, distance, longDate, several } from './words.ts';

/** The stays and trips of one day. */
export function DayPanel(): JSX.Element {
  const known = archive.value ?? [];
  const shown = day.value;
  const goTo = (to: (typeof known)[number] | undefined): (() => void) | undefined =>
    to && (() => (day.value = to.day));
  return (
    <>
      <Stepper
        back="Day before with tracks"
        forth="Next day with tracks"
        onBack={goTo(known.findLast((one) => shown === undefined || one.day < shown))}
        onForth={goTo(known.find((one) => shown !== undefined && one.day > shown))}
      >
        <DateField label="Day" value={shown} onPick={(date) => (day.value = date)} />
      </Stepper>
      {shown === undefined && (
        <p class="hint">Choose a day above, in the bar below the map, or by a click on a track.</p>
      )}
      <Shown of={dayStory.value} what="the day">
        {(story) => <Story story={story} />}
      </Shown>
    </>
  );
}

function Story({ story }: { readonly story: DayStory }): JSX.Element {
  const { result, date, stops, course } = story;
  const isEmpty = stops.length === 0 && course.length === 0;
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
          <Legend story={story} />
          <TimeSlider story={story} />
          <DayChart story={story} />
          <Course story={story} />
          <ExportBox scopes={[{ name: date, query: spanOf(story) }]} />
        </>
      )}
    </section>
  );
}

/** The colours of the map, in the order in which they first come. */
function Legend({ story }: { readonly story: DayStory }): JSX.Element {
  const modes = new Set(story.result.trips.flatMap(({ legs }) => legs.map(({ mode }) => mode)));
  return (
    <ul class="legend" aria-label="Colours on the map">
      {[...modes].map((mode) => (
        <li key={mode}>
          <span class="swatch" style={{ background: modeColour(mode) }} aria-hidden="true" />
          {mode}
        </li>
      ))}
    </ul>
  );
}

function spanOf({ startMs, endMs }: DayStory): Record<'from' | 'to', string> {
  return { from: new Date(startMs).toISOString(), to: new Date(endMs - 1).toISOString() };
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
  if (trip !== undefined) return guessOf(trip);
  return pointAt(course, ms) === undefined ? 'Nothing known' : 'On the way';
}

function nameOf(stop: TimelineStop): string {
  return placeOf(stop) || 'At sea or unknown';
}

/** Stays and the ways between them, in the order of time. */
function Course({ story }: { readonly story: DayStory }): JSX.Element {
  return (
    <ol class="course" aria-label="Stays and trips">
      {story.stops.map((stop) => {
        const trip = story.result.trips.find(({ from_stop }) => from_stop === stop.index);
        return [stopItem(stop, story), trip && tripItems(trip)];
      })}
    </ol>
  );
}

interface CourseItemProps {
  readonly kind: 'stay' | 'trip';
  readonly startMs: number;
  readonly endMs: number;
  /** Where the map goes. */
  readonly place?: TimelineStop;
  readonly colour?: string;
  readonly children: ComponentChildren;
}

/** A button that leads to the begin of a stay or trip. */
function CourseItem({
  kind,
  startMs,
  endMs,
  place,
  colour,
  children,
}: CourseItemProps): JSX.Element {
  const ms = instant.value ?? 0;
  const show = (): void => {
    instant.value = startMs;
    if (place !== undefined) target.value = { lat: place.lat, lon: place.lon, zoom: 15 };
  };
  return (
    <li
      class={kind}
      style={{ '--mode': colour ?? '' }}
      aria-current={startMs <= ms && ms <= endMs ? 'time' : undefined}
    >
      <button onClick={show}>{children}</button>
    </li>
  );
}

function stopItem(stop: TimelineStop, { offsetMinutes }: DayStory): JSX.Element {
  const startMs = Date.parse(stop.first_observation_utc);
  const endMs = Date.parse(stop.last_observation_utc);
  const from = stop.continues_before ? 'earlier' : clock(startMs, offsetMinutes);
  const to = stop.continues_after ? 'later' : clock(endMs, offsetMinutes);
  return (
    <CourseItem key={`s${stop.index}`} kind="stay" startMs={startMs} endMs={endMs} place={stop}>
      <strong>{nameOf(stop)}</strong>
      <span>
        {from === to ? from : `${from} – ${to}`}
        {stop.duration_seconds > 0 && ` · ${stayTime(stop.duration_seconds)}`}
      </span>
    </CourseItem>
  );
}

/** A trip, and below it the legs of one that was gone in several ways. */
function tripItems(trip: TimelineTrip): JSX.Element[] {
  // Its ends are those of stays.
  const [startMs, endMs] = [Date.parse(trip.start_utc) + 1, Date.parse(trip.end_utc) - 1];
  const legs = trip.legs.length > 1 ? trip.legs : [];
  const colour = modeColour(trip.mode);
  return [
    <CourseItem key={`t${trip.index}`} kind="trip" {...{ startMs, endMs, colour }}>
      <span>
        {guessOf(trip)} · {distance(trip.distance_m)} · {stayTime(trip.duration_seconds)}
      </span>
    </CourseItem>,
    ...legs.map((leg) => {
      const [from, to] = [Date.parse(leg.start_utc) + 1, Date.parse(leg.end_utc)];
      return (
        <CourseItem
          key={`l${leg.start_utc}`}
          kind="trip"
          startMs={from}
          endMs={to}
          colour={modeColour(leg.mode)}
        >
          <span class="leg">
            {modeText(leg)} · {distance(leg.distance_m)} ·{' '}
            {stayTime(Math.round((to - from) / 1_000))}
          </span>
        </CourseItem>
      );
    }),
  ];
}
