import type { HTMLAttributes, JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useSignal, type Signal } from '@preact/signals';
import { formatDate } from '../../model/calendar-date.ts';
import { archive, nearest, type Archive } from './archive.ts';
import { DateField } from './parts.tsx';
import { day, period, showDay, type Period } from './state.ts';
import { dayNumber, shortDate } from './words.ts';

const barPixels = 3;
const height = 40;
/** A pointer that moves less has clicked. */
const clickPixels = 4;
/** Where the pointer was pressed; undefined while it is not. */
let begunAt: number | undefined;
const monthDays = 30;

/** The whole archive in a bar that shows where there is something, with the period that the map shows. */
export function PeriodBar(): JSX.Element {
  const known = archive.value;
  const isEmpty = known === undefined || known.numbers.length === 0;
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
        <span class="hint grow one-line">{wordsOf(known)}</span>
      </div>
      <div class="bar">{!isEmpty && <Bar known={known} />}</div>
    </section>
  );
}

/** From the first day with something to the last. */
function wholeOf(known: Archive | undefined): Period | undefined {
  const [first, last] = [known?.numbers[0], known?.numbers.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { from: formatDate(first), to: formatDate(last) };
}

function wordsOf(known: Archive | undefined): string {
  const shown = period.value ?? wholeOf(known);
  return shown === undefined ? '' : `${shortDate(shown.from)} – ${shortDate(shown.to)}`;
}

function DateInput({ label, end }: { readonly label: string; readonly end: keyof Period }) {
  const set = (date: string): void => {
    const now = period.value ?? wholeOf(archive.peek()) ?? { from: date, to: date };
    const next = { ...now, [end]: date };
    // The other end gives way.
    period.value = next.from <= next.to ? next : { from: date, to: date };
  };
  return <DateField label={label} isLabelSeen value={period.value?.[end]} onPick={set} />;
}

/** From days to shares of the width, and back. */
interface Scale {
  readonly first: number;
  /** Days in all. */
  readonly span: number;
}

function scaleOf({ numbers }: Archive): Scale {
  const first = numbers[0] ?? 0;
  const span = (numbers.at(-1) ?? first) - first + 1;
  // A single day would be a bar as wide as the page.
  const room = Math.max(0, Math.ceil((monthDays - span) / 2));
  return { first: first - room, span: span + 2 * room };
}

function Bar({ known }: { readonly known: Archive }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(600);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      width.value = entry?.contentRect.width || width.value;
    });
    if (box.current !== null) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const scale = useMemo(() => scaleOf(known), [known]);
  /** What is shown until the pointer is let go. */
  const dragged = useSignal<Period | undefined>(undefined);
  const shown = dragged.value ?? period.value;
  const shape = useMemo(() => barsOf(known, scale, width.value), [known, width.value]);
  return (
    <div class="bars" ref={box} {...dragging(known, scale, dragged)}>
      <svg viewBox={`0 0 ${width.value} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={shape} />
      </svg>
      <Years scale={scale} width={width.value} />
      {shown !== undefined && <Chosen shown={shown} scale={scale} dragged={dragged} />}
      {day.value !== undefined && (
        <span class="mark" style={{ left: percent(dayNumber(day.value) + 0.5, scale) }} />
      )}
    </div>
  );
}

function percent(number: number, { first, span }: Scale): string {
  return `${Math.min(100, Math.max(0, ((number - first) / span) * 100))}%`;
}

/** One path for all bars: how much was recorded in each stretch, as the square root. */
function barsOf({ numbers, counts }: Archive, { first, span }: Scale, width: number): string {
  const bars = Math.max(1, Math.floor(width / barPixels));
  const sums = new Float64Array(bars);
  numbers.forEach((number, index) => {
    const bar = Math.min(bars - 1, Math.floor(((number - first + 0.5) / span) * bars));
    sums[bar] = (sums[bar] ?? 0) + (counts[index] ?? 0);
  });
  const most = Math.sqrt(sums.reduce((a, b) => Math.max(a, b), 1));
  const step = width / bars;
  return [...sums]
    .map((sum, bar) => {
      if (sum === 0) return '';
      const tall = Math.max(3, (Math.sqrt(sum) / most) * height);
      return `M${(bar * step).toFixed(1)} ${height}v-${tall.toFixed(1)}h${(step * 0.75).toFixed(1)}V${height}z`;
    })
    .join('');
}

const yearPixels = 44;

function Years({ scale, width }: { readonly scale: Scale; readonly width: number }): JSX.Element {
  const year = (number: number): number => Number(formatDate(number).slice(0, 4));
  const [first, last] = [year(scale.first), year(scale.first + scale.span - 1)];
  const every = Math.max(1, Math.ceil(((last - first + 1) * yearPixels) / width));
  const shown = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <div class="years" aria-hidden="true">
      {shown
        .filter((one) => one % every === 0 || shown.length === 1)
        .map((one) => {
          const number = Math.max(scale.first, dayNumber(`${one}-01-01`));
          return (
            <span key={one} style={{ left: percent(number, scale) }}>
              {one}
            </span>
          );
        })}
    </div>
  );
}

interface ChosenProps {
  readonly shown: Period;
  readonly scale: Scale;
  readonly dragged: Signal<Period | undefined>;
}

/** The chosen period with its two ends, which can be moved by pointer and keys. */
function Chosen({ shown, scale, dragged }: ChosenProps): JSX.Element {
  const [from, after] = [dayNumber(shown.from), dayNumber(shown.to) + 1];
  const end = (label: string, at: number, moved: (to: number) => Period): JSX.Element => (
    <input
      type="range"
      class="end"
      aria-label={label}
      aria-valuetext={shortDate(at === from ? shown.from : shown.to)}
      min={scale.first}
      max={scale.first + scale.span}
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
        style={{ left: percent(from, scale), right: `calc(100% - ${percent(after, scale)})` }}
      />
      {end('Begin of the period', from, (to) => periodOf(Math.min(to, after - 1), after - 1))}
      {end('End of the period', after, (to) => periodOf(from, Math.max(from, to - 1)))}
    </>
  );
}

function periodOf(one: number, other: number): Period {
  return { from: formatDate(Math.min(one, other)), to: formatDate(Math.max(one, other)) };
}

/** A drag over the bars chooses a period, a click the nearest day. */
function dragging(
  known: Archive,
  { first, span }: Scale,
  dragged: Signal<Period | undefined>,
): HTMLAttributes<HTMLDivElement> {
  const dayAt = (clientX: number, bar: HTMLElement): number => {
    const { left, width } = bar.getBoundingClientRect();
    return first + Math.min(span - 1, Math.max(0, Math.floor(((clientX - left) / width) * span)));
  };
  return {
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
      else showDay(formatDate(nearest(known, dayAt(begunAt, bar))));
    },
    onLostPointerCapture() {
      begunAt = undefined;
      dragged.value = undefined;
    },
  };
}
