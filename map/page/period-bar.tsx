import type { HTMLAttributes, JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { computed, signal } from '@preact/signals';
import { formatDate } from '../../model/calendar-date.ts';
import { archive, type Archive } from './archive.ts';
import { DateField } from './parts.tsx';
import { day, period, showDay, type Period } from './state.ts';
import { dayNumber, shortDate } from './words.ts';

const barPixels = 3;
const height = 40;
/** A pointer that moves less has clicked. */
const clickPixels = 4;
/** Where the pointer was pressed; undefined while it is not. */
let begunAt: number | undefined;
/** Shown until the pointer is released. */
const dragged = signal<Period>();
const monthDays = 30;

/** From the first day with something to the last. */
const whole = computed<Period | undefined>(() => {
  const [first, last] = [archive.value?.at(0), archive.value?.at(-1)];
  return first && last && { from: first.day, to: last.day };
});

/** The whole archive in a bar that shows where there is something, with the period that the map shows. */
export function PeriodBar(): JSX.Element {
  const shown = period.value ?? whole.value;
  return (
    <section class="period" aria-label="Period">
      <div class="row">
        <DateInput label="From" end="from" />
        <DateInput label="To" end="to" />
        <button
          class="small"
          disabled={period.value === undefined}
          onClick={() => (period.value = undefined)}
        >
          All
        </button>
        <span class="hint grow one-line">
          {shown && `${shortDate(shown.from)} – ${shortDate(shown.to)}`}
        </span>
      </div>
      <div class="bar">{whole.value && <Bar known={archive.value ?? []} />}</div>
    </section>
  );
}

function DateInput({ label, end }: { readonly label: string; readonly end: keyof Period }) {
  const set = (date: string): void => {
    const now = period.value ?? whole.peek() ?? { from: date, to: date };
    const next = { ...now, [end]: date };
    // The other end gives way.
    period.value = next.from <= next.to ? next : { from: date, to: date };
  };
  return <DateField label={label} isLabelSeen value={period.value?.[end]} onPick={set} />;
}

/** From days to shares of the width, and back: the first day of the bar, and how many days it has. */
const scale = computed(() => {
  const { from, to } = whole.value ?? { from: '1970-01-01', to: '1970-01-01' };
  const span = dayNumber(to) - dayNumber(from) + 1;
  // A single day would be a bar as wide as the page.
  const room = Math.max(0, Math.ceil((monthDays - span) / 2));
  return { first: dayNumber(from) - room, span: span + 2 * room };
});

function shareOf(number: number): number {
  const { first, span } = scale.value;
  return Math.min(1, Math.max(0, (number - first) / span));
}

function percent(number: number): string {
  return `${shareOf(number) * 100}%`;
}

const width = signal(600);

function Bar({ known }: { readonly known: Archive }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      width.value = entry?.contentRect.width || width.value;
    });
    if (box.current !== null) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const shown = dragged.value ?? period.value;
  const shape = useMemo(() => barsOf(known), [known, width.value]);
  return (
    <div class="bars" ref={box} {...dragging}>
      <svg viewBox={`0 0 ${width.value} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={shape} />
      </svg>
      <Years />
      {shown !== undefined && <Chosen shown={shown} />}
      {day.value !== undefined && (
        <span class="mark" style={{ left: percent(dayNumber(day.value) + 0.5) }} />
      )}
    </div>
  );
}

/** One path for all bars: how much was recorded in each stretch, as the square root. */
function barsOf(known: Archive): string {
  const { first, span } = scale.value;
  const bars = Math.max(1, Math.floor(width.value / barPixels));
  const sums = new Float64Array(bars);
  for (const { day: date, points } of known) {
    const bar = Math.min(bars - 1, Math.floor(((dayNumber(date) - first + 0.5) / span) * bars));
    sums[bar] = (sums[bar] ?? 0) + points;
  }
  const most = Math.sqrt(Math.max(1, ...sums));
  const step = width.value / bars;
  return [...sums]
    .map((sum, bar) => {
      if (sum === 0) return '';
      const tall = Math.max(3, (Math.sqrt(sum) / most) * height);
      return `M${(bar * step).toFixed(1)} ${height}v-${tall.toFixed(1)}h${(step * 0.75).toFixed(1)}V${height}z`;
    })
    .join('');
}

const yearPixels = 44;

function Years(): JSX.Element {
  const { first, span } = scale.value;
  const [from = 0, to = 0] = [first, first + span - 1].map((at) =>
    Number(formatDate(at).slice(0, 4)),
  );
  const every = Math.max(1, Math.ceil(((to - from + 1) * yearPixels) / width.value));
  const years = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    .filter((year) => year % every === 0 || from === to)
    .map((year) => ({ year, at: shareOf(dayNumber(`${year}-01-01`)) * width.value }));
  // The next one, or the end, would cut it.
  const isWhole = (at: number, index: number): boolean =>
    (years[index + 1]?.at ?? width.value) - at >= yearPixels * 0.8;
  return (
    <div class="years" aria-hidden="true">
      {years
        .filter(({ at }, index) => isWhole(at, index))
        .map(({ year, at }) => (
          <span key={year} style={{ left: `${at}px` }}>
            {year}
          </span>
        ))}
    </div>
  );
}

/** The chosen period with its two ends, which can be moved by pointer and keys. */
function Chosen({ shown }: { readonly shown: Period }): JSX.Element {
  const { first, span } = scale.value;
  const [from, after] = [dayNumber(shown.from), dayNumber(shown.to) + 1];
  const end = (label: string, at: number, moved: (to: number) => Period): JSX.Element => (
    <input
      type="range"
      class="end"
      aria-label={label}
      aria-valuetext={shortDate(at === from ? shown.from : shown.to)}
      min={first}
      max={first + span}
      value={at}
      onInput={({ currentTarget }) => (dragged.value = moved(currentTarget.valueAsNumber))}
      onChange={({ currentTarget }) => {
        period.value = moved(currentTarget.valueAsNumber);
        dragged.value = undefined;
      }}
    />
  );
  return (
    <>
      <span
        class="chosen"
        style={{ left: percent(from), right: `calc(100% - ${percent(after)})` }}
      />
      {end('Begin of the period', from, (to) => periodOf(Math.min(to, after - 1), after - 1))}
      {end('End of the period', after, (to) => periodOf(from, Math.max(from, to - 1)))}
    </>
  );
}

function periodOf(one: number, other: number): Period {
  return { from: formatDate(Math.min(one, other)), to: formatDate(Math.max(one, other)) };
}

function dayAt(clientX: number, bar: HTMLElement): number {
  const { first, span } = scale.value;
  const { left, width: shown } = bar.getBoundingClientRect();
  return first + Math.min(span - 1, Math.max(0, Math.floor(((clientX - left) / shown) * span)));
}

/** The day with something that is nearest to a day. */
function nearest(number: number): string {
  const known = archive.peek() ?? [];
  const far = known.map((one) => Math.abs(dayNumber(one.day) - number));
  return known[far.indexOf(Math.min(...far))]?.day ?? formatDate(number);
}

/** A drag over the bars chooses a period, a click the nearest day. */
const dragging: HTMLAttributes<HTMLDivElement> = {
  onPointerDown({ clientX, currentTarget: bar, target, pointerId }) {
    if (target instanceof HTMLInputElement) return;
    bar.setPointerCapture(pointerId);
    begunAt = clientX;
  },
  onPointerMove({ clientX, currentTarget: bar }) {
    if (begunAt === undefined) return;
    if (dragged.peek() === undefined && Math.abs(clientX - begunAt) < clickPixels) return;
    dragged.value = periodOf(dayAt(begunAt, bar), dayAt(clientX, bar));
  },
  onPointerUp({ currentTarget: bar }) {
    if (begunAt === undefined) return;
    if (dragged.peek() !== undefined) period.value = dragged.peek();
    else showDay(nearest(dayAt(begunAt, bar)));
  },
  onLostPointerCapture() {
    begunAt = undefined;
    dragged.value = undefined;
  },
};
