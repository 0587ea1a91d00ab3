import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { signal } from '@preact/signals';
import type { Summary } from '../../client/waypoints/index.ts';
import { Shown, Stepper } from './parts.tsx';
import { status } from './service.ts';
import { showDay } from './state.ts';
import { addDays, distance, longDate, several } from './words.ts';
import { chosenYear, year, yearStory, type YearStory } from './year.ts';

/** Where the days of a year were, as a calendar. */
export function YearPanel(): JSX.Element {
  const { first_time, last_time } = status.value?.imported ?? {};
  const [first = 0, last = 0] = [first_time, last_time].map((time) => Number(time?.slice(0, 4)));
  const goTo = (to: number) => (): void => {
    chosenYear.value = to;
  };
  const shown = year.value;
  return (
    <>
      <Stepper
        back="Year before"
        forth="Next year"
        onBack={shown > first ? goTo(shown - 1) : undefined}
        onForth={shown < last ? goTo(shown + 1) : undefined}
      >
        <h2 class="grow centre" aria-live="polite">
          {shown}
        </h2>
      </Stepper>
      <Shown of={yearStory.value} what="the year">
        {(story) => <Calendar story={story} />}
      </Shown>
    </>
  );
}

/** The day of the calendar that the Tab key reaches; arrows lead to the others. */
const focused = signal('');

function Calendar({ story }: { readonly story: YearStory }): JSX.Element {
  const { year: shown, countries } = story;
  return (
    <section aria-label={`Calendar of ${shown}`}>
      <div class="year" onKeyDown={moveFocus}>
        {Array.from({ length: 12 }, (_, month) => {
          const first = `${shown}-${String(month + 1).padStart(2, '0')}-01`;
          return <Month key={first} first={first} story={story} />;
        })}
      </div>
      <Table
        caption="Days by country"
        rows={countries.map(({ id, name, days, colour }) => [
          id,
          <>
            <span class={`swatch c${colour}`} aria-hidden="true" />
            {name}
          </>,
          several(days, 'day'),
        ])}
      />
      <Table caption="The year in numbers" rows={sumsOf(story.summary)} />
      {countries.length === 0 && <p class="hint">Nothing was recorded in this year.</p>}
    </section>
  );
}

type Row = readonly [key: string, head: ComponentChildren, value: string];

function Table({ caption, rows }: { readonly caption: string; readonly rows: readonly Row[] }) {
  return (
    <table class="countries">
      <caption class="unseen">{caption}</caption>
      <tbody>
        {rows.map(([key, head, value]) => (
          <tr key={key}>
            <th scope="row">{head}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the year comes to. */
function sumsOf(sum: Summary): Row[] {
  const { longest_trip: longest, farthest, nights_away: away } = sum;
  const rows: readonly (readonly [what: string, value: string | undefined])[] = [
    ['On the way', distance(sum.distance_m)],
    ...sum.modes.map(({ mode, distance_m }) => [`· ${mode}`, distance(distance_m)] as const),
    ['Regions, towns', `${sum.regions}, ${sum.towns}`],
    ['Away from home', away === undefined ? away : several(away, 'night')],
    ['Longest trip', longest && `${distance(longest.distance_m)} · ${longest.mode}`],
    ['Farthest from home', farthest && distance(farthest.distance_m)],
    ['Without data', several(sum.days_without_data, 'day')],
  ];
  return rows.flatMap(([what, value]) => (value === undefined ? [] : [[what, what, value]]));
}

const monthForm = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' });

interface MonthProps {
  /** Its first day. */
  readonly first: string;
  readonly story: YearStory;
}

function Month({ first, story }: MonthProps): JSX.Element {
  const { year: shown, days, countries } = story;
  const dates: string[] = [];
  for (let date = first; date.startsWith(first.slice(0, 7)); date = addDays(date, 1))
    dates.push(date);
  // Monday begins the week.
  const column = ((new Date(first).getUTCDay() + 6) % 7) + 1;
  const reached = focused.value.startsWith(String(shown)) ? focused.value : `${shown}-01-01`;
  const countryOf = (id: string) => countries.find((country) => country.id === id);
  const labelOf = (date: string): string => {
    const names = (days.get(date) ?? []).map(({ country_id, kind }) =>
      kind === 'transit' ? 'in transit' : (countryOf(country_id)?.name ?? country_id),
    );
    return `${longDate(date)}: ${names.join(', ') || 'nothing known'}`;
  };
  return (
    <div class="month">
      <h3>{monthForm.format(Date.parse(first))}</h3>
      <div class="days">
        {dates.map((date) => (
          <button
            key={date}
            style={{ gridColumn: date === first ? column : 'auto' }}
            data-date={date}
            tabIndex={date === reached ? 0 : -1}
            aria-label={labelOf(date)}
            title={labelOf(date)}
            onFocus={() => (focused.value = date)}
            onClick={() => showDay(date)}
          >
            {(days.get(date) ?? []).slice(0, 2).map(({ country_id: id, kind }) => (
              <span key={id} class={`${kind} c${countryOf(id)?.colour ?? 'n'}`} />
            ))}
          </button>
        ))}
      </div>
    </div>
  );
}

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
};

function moveFocus(event: TargetedKeyboardEvent<HTMLDivElement>): void {
  const step = steps[event.key];
  const { date } = (event.target as HTMLElement).dataset;
  if (step === undefined || date === undefined) return;
  event.preventDefault();
  const next = `[data-date="${addDays(date, step)}"]`;
  event.currentTarget.querySelector<HTMLElement>(next)?.focus();
}
