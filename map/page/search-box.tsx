import type { JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { Suggestion } from '../../client/waypoints/index.ts';
import { find } from './places.ts';
import { service } from './service.ts';
import { showPlace, target } from './state.ts';

const text = signal('');
const isOpen = signal(false);
const found = signal<readonly Suggestion[]>([]);
/** Whom to credit for what was found. */
const credits = signal<readonly string[]>([]);
const active = signal(-1);

const pauseMs = 120;
const mostRecent = 8;
/** A geocoding server of the user's choice needs a moment. */
const pendingMs = 1_200;
const degreesPerM = 1 / 111_000;
/** How near a place is shown that does not say how far it reaches. */
const zooms: Readonly<Record<string, number>> = { country: 5, region: 7, city: 11 };
const usualZoom = 14;

/** Finds waypoints, towns, regions, countries and positions. */
export function SearchBox(): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.matches('input, textarea');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);
  const isShown = isOpen.value && found.value.length > 0;
  return (
    <search class="search">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search"
        aria-expanded={isShown}
        aria-controls="found"
        aria-autocomplete="list"
        aria-activedescendant={active.value < 0 ? undefined : `found-${active.value}`}
        placeholder="Search places and waypoints"
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={({ currentTarget: { value } }) => ask(value)}
        onFocus={() => {
          isOpen.value = true;
          if (text.value === '') void offerRecent();
        }}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={keyPressed}
      />
      <ul id="found" role="listbox" aria-label="Found" hidden={!isShown}>
        {found.value.map((one, index) => (
          <Option key={index} one={one} index={index} />
        ))}
      </ul>
      {isShown && credits.value.length > 0 && <p class="credits">{credits.value.join(' · ')}</p>}
    </search>
  );
}

function Option({ one, index }: { readonly one: Suggestion; readonly index: number }): JSX.Element {
  return (
    <li
      id={`found-${index}`}
      role="option"
      aria-selected={index === active.value}
      // Before the input loses the focus, which hides the list.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => choose(one)}
    >
      <span>{one.name}</span>
      <span class="hint">{kindOf(one)}</span>
    </li>
  );
}

function kindOf({ source, class: group, type }: Suggestion): string {
  if (source !== 'geocode') return source;
  return group === 'position' || group === 'recent' ? group : (type ?? 'place');
}

/** Offers what was found before. */
async function offerRecent(): Promise<void> {
  const { entries } = await service.getRecentSearches(mostRecent).catch(() => ({ entries: [] }));
  if (text.value !== '') return;
  found.value = entries.flatMap(({ query: name, lat, lon }) =>
    lat === undefined || lon === undefined
      ? []
      : [{ name, lat, lon, source: 'geocode', class: 'recent' }],
  );
  credits.value = [];
  active.value = -1;
}

let timer: ReturnType<typeof setTimeout> | undefined;

function ask(query: string): void {
  text.value = query;
  isOpen.value = true;
  clearTimeout(timer);
  timer = setTimeout(() => void look(query), pauseMs);
}

async function look(query: string, isAgain = false): Promise<void> {
  const answer = await service.suggest(query).catch(() => undefined);
  if (answer === undefined || text.value !== query) return;
  found.value = answer.suggestions;
  credits.value = answer.attributions ?? [];
  active.value = -1;
  if (answer.pending === true && !isAgain)
    timer = setTimeout(() => void look(query, true), pendingMs);
}

function keyPressed(event: TargetedKeyboardEvent<HTMLInputElement>): void {
  const most = found.value.length;
  if (event.key === 'Escape') {
    isOpen.value = false;
    event.currentTarget.blur();
  } else if (event.key === 'Enter') {
    const one = found.value[Math.max(0, active.value)];
    if (one !== undefined) choose(one);
  } else if (most > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault();
    isOpen.value = true;
    const step = event.key === 'ArrowDown' ? 1 : most - 1;
    active.value = (Math.max(active.value, step === 1 ? -1 : 0) + step) % most;
  }
}

function choose(one: Suggestion): void {
  const { name, lat, lon, source, type = '', radius_m: radius } = one;
  isOpen.value = false;
  text.value = name;
  void service.recordHistory(name, lat, lon).catch(() => undefined);
  if (source !== 'geocode') {
    const place = { name, lat, lon, bookmark: source === 'bookmark' };
    void find(place).then((waypoint) => showPlace(waypoint ?? place, usualZoom));
    return;
  }
  const reach = (radius ?? 0) * degreesPerM;
  target.value =
    reach === 0
      ? { lat, lon, zoom: zooms[type] ?? usualZoom }
      : { bbox: [lon - 2 * reach, lat - reach, lon + 2 * reach, lat + reach] };
}
