import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { LifePlace } from '../../client/waypoints/index.ts';
import { placeOf, stayTime } from '../../model/timeline-words.ts';
import { keepLoaded, type Loaded } from './loaded.ts';
import { Shown } from './parts.tsx';
import { service } from './service.ts';
import { draft, period, sought, target } from './state.ts';
import { patiently } from './timelines.ts';
import { position, several } from './words.ts';

const shownPlaces = 12;
const roles = { home: 'Home', work: 'Work' } as const;
/** The others stay in the order of their time. */
const order: readonly LifePlace['role'][] = ['home', 'work', undefined];
const places = signal<Loaded<readonly LifePlace[]>>({ state: 'none' });

/** Home, work and the places with most time, in the chosen period; naming one makes a bookmark. */
export function OwnPlaces(): JSX.Element {
  const load = async (abort: AbortSignal): Promise<readonly LifePlace[]> => {
    const asked = { ...period.peek(), limit: shownPlaces };
    return (await patiently(() => service.getPlaces(asked), abort)).places;
  };
  // Before the first picture: what is below does not move when this begins to load.
  useLayoutEffect(() => keepLoaded(places, () => (void period.value, load)), []);
  return (
    <section class="own" aria-label="Your places">
      <h2>Your places</h2>
      <Shown of={places.value} what="your places">
        {(known) => (
          <ol class="list">
            {known.length === 0 && <li class="hint">There are no stays in this time.</li>}
            {known
              .toSorted((a, b) => order.indexOf(a.role) - order.indexOf(b.role))
              .map((place) => (
                <PlaceItem key={place.id} place={place} />
              ))}
          </ol>
        )}
      </Shown>
    </section>
  );
}

function PlaceItem({ place }: { readonly place: LifePlace }): JSX.Element {
  const { lat, lon, role, bookmark, visits, seconds } = place;
  // Home has its name before the user gives it one.
  const called = { ...place, bookmark: bookmark ?? (role && { name: roles[role] }) };
  const show = (): void => {
    sought.value = { lat, lon };
    target.value = { lat, lon, zoom: 15 };
  };
  return (
    <li class="row">
      <button class="grow" onClick={show}>
        {placeOf(called) || position(lat, lon)}
        <span class="hint">
          {role && bookmark && `${roles[role]} · `}
          {several(visits, 'visit')} · {stayTime(seconds)}
        </span>
      </button>
      {bookmark === undefined && (
        <button
          class="small"
          onClick={() => (draft.value = { lat, lon, name: role && roles[role] })}
        >
          Name it
        </button>
      )}
    </li>
  );
}
