import type { JSX } from 'preact';
import { archive } from './archive.ts';
import { CourseList } from './course-list.tsx';
import { dayStory, nameOf, type DayStory } from './day.ts';
import { DayChart } from './day-chart.tsx';
import { ExportBox } from './export-box.tsx';
import { DateField, Shown, Stepper } from './parts.tsx';
import { day, instant } from './state.ts';
import { modeColour } from './map-style.ts';
import { pointAt } from './track-points.ts';
import { momentAt, partAt } from '../../model/moment.ts';
import { guessOf, modeText } from '../../model/timeline-words.ts';
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
          <CourseList story={story} />
          <ExportBox scopes={[{ name: date, query: story.span }]} />
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

function doingAt(story: DayStory, ms: number): string {
  const { result, course } = story;
  const moment = momentAt(result, ms);
  if (moment.state === 'stop') return nameOf(moment.stop, story);
  if (moment.state === 'between' && moment.trip !== undefined) {
    const leg = moment.trip.legs.length > 1 && partAt(moment.trip.legs, ms);
    return leg ? modeText(leg) : guessOf(moment.trip);
  }
  return pointAt(course, ms) === undefined ? 'Nothing known' : 'On the way';
}
