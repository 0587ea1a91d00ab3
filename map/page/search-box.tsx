import type { JSX, RefObject, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { Suggestion, SuggestResult } from '../../client/waypoints/index.ts';
import { IconButton } from './parts.tsx';
import { find } from './places.ts';
import { service } from './service.ts';
import { selected, showPlace, sought, target } from './state.ts';

const text = signal('');
const isOpen = signal(false);
/** Undefined until something was looked for. */
const answer = signal<SuggestResult>();
const active = signal(-1);
/** Whether Enter was pressed before the answer was there. */
let isEntered = false;

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
  useEffect(() => listenToKeys(input), []);
  const { suggestions = [], attributions = [] } = answer.value ?? {};
  const isShown = isOpen.value && suggestions.length > 0;
  const isMissing = isOpen.value && !isShown && answer.value !== undefined && text.value !== '';
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
        onBlur={() => (isOpen.value = isEntered = false)}
        onKeyDown={keyPressed}
      />
      <IconButton
        sign="×"
        label="Clear the search"
        hidden={text.value === ''}
        onClick={() => {
          ask('');
          input.current?.focus();
        }}
      />
      <ul id="found" role="listbox" aria-label="Found" hidden={!isShown}>
        {suggestions.map((one, index) => (
          <Option key={index} one={one} index={index} />
        ))}
      </ul>
      {isShown && attributions.length > 0 && <p class="credits">{attributions.join(' · ')}</p>}
      <p class="credits" role="status" hidden={!isMissing}>
        {isMissing && 'Nothing found'}
      </p>
    </search>
  );
}

/** Wherever the focus is: `/` leads here, Escape ends the search. */
function listenToKeys(input: RefObject<HTMLInputElement | null>): () => void {
  const pressed = (event: KeyboardEvent): void => {
    const isTyping =
      event.target instanceof HTMLElement &&
      event.target.matches('input:not([type=range]), textarea, select');
    if (isTyping) return;
    if (event.key === 'Escape') return end();
    if (event.key !== '/') return;
    event.preventDefault();
    input.current?.select();
  };
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}

function end(): void {
  if (text.value !== '') ask('');
  isOpen.value = false;
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
  const suggestions = entries.flatMap(({ query: name, lat, lon }) =>
    lat === undefined || lon === undefined
      ? []
      : [{ name, lat, lon, source: 'geocode' as const, class: 'recent' }],
  );
  answer.value = { query: '', suggestions };
  active.value = -1;
}

let timer: ReturnType<typeof setTimeout> | undefined;

function ask(query: string): void {
  text.value = query;
  isOpen.value = true;
  isEntered = false;
  active.value = -1;
  sought.value = undefined;
  if (answer.peek()?.suggestions.length === 0) answer.value = undefined;
  clearTimeout(timer);
  timer = setTimeout(() => void (query === '' ? offerRecent() : look(query)), pauseMs);
}

async function look(query: string, isAgain = false): Promise<void> {
  const found = await service.suggest(query).catch(() => undefined);
  if (found === undefined || text.value !== query) return;
  answer.value = { ...found, query };
  active.value = -1;
  if (isEntered) chooseActive();
  if (found.pending === true && !isAgain)
    timer = setTimeout(() => void look(query, true), pendingMs);
}

const keySteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function keyPressed(event: TargetedKeyboardEvent<HTMLInputElement>): void {
  const { length: most } = answer.value?.suggestions ?? [];
  const step = keySteps[event.key];
  if (event.key === 'Escape') {
    end();
    event.currentTarget.blur();
  } else if (event.key === 'Enter') {
    isEntered = true;
    // Otherwise once the answer is there.
    if (answer.value?.query === text.value || active.value >= 0) chooseActive();
  } else if (most > 0 && step !== undefined) {
    event.preventDefault();
    isOpen.value = true;
    active.value = (Math.max(active.value, Math.min(0, -step)) + step + most) % most;
  }
}

function chooseActive(): void {
  const one = answer.peek()?.suggestions[Math.max(0, active.value)];
  if (one !== undefined) choose(one);
}

function choose(one: Suggestion): void {
  const { name, lat, lon, source, type = '', radius_m: radius } = one;
  isOpen.value = false;
  isEntered = false;
  text.value = name;
  answer.value = undefined;
  void service.recordHistory(name, lat, lon).catch(() => undefined);
  if (source !== 'geocode') {
    const place = { name, lat, lon, bookmark: source === 'bookmark' };
    void find(place).then((waypoint) => showPlace(waypoint ?? place, usualZoom));
    return;
  }
  selected.value = undefined;
  sought.value = { lat, lon };
  const reach = (radius ?? 0) * degreesPerM;
  target.value =
    reach === 0
      ? { lat, lon, zoom: zooms[type] ?? usualZoom }
      : { bbox: [lon - 2 * reach, lat - reach, lon + 2 * reach, lat + reach] };
}
