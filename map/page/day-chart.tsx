import { useMemo } from 'preact/hooks';
import type { JSX, TargetedPointerEvent } from 'preact';
import type { DayStory } from './day.ts';
import { instant } from './state.ts';
import { profileOf } from './track-points.ts';

const steps = 240;
/** A minute or two without a point is no gap. */
const mostSteps = 3;
const width = 480;
const height = 84;

/** Elevation and speed of a day, with the time slider's instant in it. */
export function DayChart({ story }: { readonly story: DayStory }): JSX.Element | null {
  const { course, startMs, endMs } = story;
  const profile = useMemo(() => profileOf(course, startMs, endMs, steps), [course]);
  const parts = [
    { name: 'Elevation', unit: 'm', values: profile.elevations, floor: Infinity },
    { name: 'Speed', unit: 'km/h', values: profile.speeds, floor: 0 },
  ];
  const x = (((instant.value ?? startMs) - startMs) / (endMs - startMs)) * width;
  const move = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    if (event.buttons === 0) return;
    const { left, width: shown } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(0.9999, Math.max(0, (event.clientX - left) / shown));
    instant.value = Math.round(startMs + share * (endMs - startMs));
  };
  return (
    <div class="charts">
      {parts.map(({ name, unit, values, floor }) => {
        const known = values.filter((value) => !Number.isNaN(value));
        if (known.length === 0) return null;
        const low = Math.min(floor, ...known);
        const high = Math.max(low + 1, ...known);
        const range = `${Math.round(Math.min(...known))} to ${Math.round(Math.max(...known))} ${unit}`;
        return (
          <figure key={name}>
            <figcaption>
              {name} <span>{range}</span>
            </figcaption>
            <svg
              class={`chart ${name.toLowerCase()}`}
              viewBox={`0 0 ${width} ${height}`}
              preserveAspectRatio="none"
              role="img"
              aria-label={`${name} of the day, ${range}`}
              onPointerDown={move}
              onPointerMove={move}
            >
              <path d={pathOf(values, low, high)} />
              <line x1={x} x2={x} y1={0} y2={height} />
            </svg>
          </figure>
        );
      })}
    </div>
  );
}

/** A line that is broken where nothing is known. */
function pathOf(values: readonly number[], low: number, high: number): string {
  let last = -Infinity;
  const parts = values.map((value, step) => {
    if (Number.isNaN(value)) return '';
    const letter = step - last > mostSteps ? 'M' : 'L';
    last = step;
    const x = ((step + 0.5) / steps) * width;
    const y = height - 4 - ((value - low) / (high - low)) * (height - 8);
    return `${letter}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return parts.join('');
}
