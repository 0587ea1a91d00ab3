import type { JSX, TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { archive, nearest, type Archive } from './archive.ts';
import { DateField } from './parts.tsx';
import { day, period, showDay, type Period } from './state.ts';
import { dateOfNumber, dayNumber, shortDate } from './words.ts';

const barPixels = 3;
const height = 40;
/** A pointer that moves less has clicked. */
const clickPixels = 4;
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
          type="button"
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

function wordsOf(known: Archive | undefined): string {
  const [first, last] = [known?.numbers[0], known?.numbers.at(-1)];
  if (known === undefined || first === undefined || last === undefined) return '';
  const { from, to } = period.value ?? { from: dateOfNumber(first), to: dateOfNumber(last) };
  return `${shortDate(from)} – ${shortDate(to)}`;
}

function DateInput({ label, end }: { readonly label: string; readonly end: keyof Period }) {
  const set = (date: string): void => {
    const now = period.value ?? { from: date, to: date };
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
  const dragged = useSignal<Period | undefined>(undefined);
  const shown = dragged.value ?? period.value;
  const begin = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    drag(event, scale, (next) => (dragged.value = next), known);
  };
  const shape = useMemo(() => barsOf(known, scale, width.value), [known, width.value]);
  return (
    <div class="bars" ref={box} onPointerDown={begin}>
      <svg viewBox={`0 0 ${width.value} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={shape} />
      </svg>
      <Years scale={scale} width={width.value} />
      {shown !== undefined && <Chosen shown={shown} scale={scale} />}
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
  const year = (number: number): number => Number(dateOfNumber(number).slice(0, 4));
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

/** The chosen period with its two ends, which can be moved by keys. */
function Chosen({ shown, scale }: { readonly shown: Period; readonly scale: Scale }): JSX.Element {
  const [from, to] = [dayNumber(shown.from), dayNumber(shown.to)];
  const end = (name: keyof Period, label: string, at: number): JSX.Element => (
    <span
      class="end"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={scale.first}
      aria-valuemax={scale.first + scale.span - 1}
      aria-valuenow={name === 'from' ? from : to}
      aria-valuetext={shortDate(shown[name])}
      data-end={name}
      style={{ left: percent(at, scale) }}
      onKeyDown={(event) => moveEnd(event, name, shown, scale)}
    />
  );
  return (
    <>
      <span
        class="chosen"
        style={{ left: percent(from, scale), right: `calc(100% - ${percent(to + 1, scale)})` }}
      />
      {end('from', 'Begin of the period', from)}
      {end('to', 'End of the period', to + 1)}
    </>
  );
}

const keySteps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -monthDays,
  PageUp: monthDays,
};

function moveEnd(
  event: TargetedKeyboardEvent<HTMLElement>,
  name: keyof Period,
  { from, to }: Period,
  { first, span }: Scale,
): void {
  const step = keySteps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const [low, high] = [dayNumber(from), dayNumber(to)];
  const most = first + span - 1;
  period.value =
    name === 'from'
      ? { from: dateOfNumber(Math.min(high, Math.max(first, low + step))), to }
      : { from, to: dateOfNumber(Math.max(low, Math.min(most, high + step))) };
}

/** Follows the pointer from where it was pressed: over the bars it chooses a period, on an end it moves that. */
function drag(
  down: TargetedPointerEvent<HTMLDivElement>,
  { first, span }: Scale,
  tell: (dragged: Period | undefined) => void,
  known: Archive,
): void {
  const bar = down.currentTarget;
  const { left, width } = bar.getBoundingClientRect();
  const dayAt = ({ clientX }: PointerEvent): number =>
    first + Math.min(span - 1, Math.max(0, Math.floor(((clientX - left) / width) * span)));
  const { end } = (down.target as HTMLElement).dataset;
  const now = period.peek();
  const fixed =
    end === undefined || now === undefined
      ? dayAt(down)
      : dayNumber(end === 'from' ? now.to : now.from);
  let next: Period | undefined;
  const move = (event: PointerEvent): void => {
    if (end === undefined && Math.abs(event.clientX - down.clientX) < clickPixels) return;
    const at = dayAt(event);
    next = { from: dateOfNumber(Math.min(at, fixed)), to: dateOfNumber(Math.max(at, fixed)) };
    tell(next);
  };
  const listening = new AbortController();
  const { signal } = listening;
  const finish = (event: PointerEvent): void => {
    listening.abort();
    tell(undefined);
    if (event.type === 'pointercancel') return;
    if (next !== undefined) period.value = next;
    else if (end === undefined) showDay(dateOfNumber(nearest(known, fixed)));
  };
  bar.setPointerCapture(down.pointerId);
  bar.addEventListener('pointermove', move, { signal });
  bar.addEventListener('pointerup', finish, { signal });
  bar.addEventListener('pointercancel', finish, { signal });
}
