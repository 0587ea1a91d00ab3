import type { JSX, TargetedSubmitEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { Waypoint } from '../../client/waypoints/index.ts';
import { find } from './places.ts';
import { Failed, textOf } from './parts.tsx';
import { sentenceOf, service } from './service.ts';
import { draft, selected, type Draft } from './state.ts';

/** The form of a new bookmark, or of one that is changed; a click on the map moves it there. */
export function PlaceForm({ draft: given }: { readonly draft: Draft }): JSX.Element {
  const { original, lat, lon } = given;
  const failure = useSignal<string | undefined>(undefined);
  const name = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => name.current?.focus(), []);
  const save = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    store(original, new FormData(event.currentTarget)).then(
      async (saved) => {
        // An answer does not tell all.
        selected.value = (await find(saved)) ?? { ...saved, bookmark: true };
        draft.value = undefined;
      },
      (error: unknown) => (failure.value = sentenceOf(error)),
    );
  };
  const cancel = (): void => {
    draft.value = undefined;
  };
  return (
    <form
      class="place-form"
      aria-label="Bookmark"
      onSubmit={save}
      onKeyDown={({ key }) => key === 'Escape' && cancel()}
    >
      <h2>{original === undefined ? 'New bookmark' : 'Edit bookmark'}</h2>
      <label>
        Name
        <input name="name" required maxLength={512} value={original?.name ?? ''} ref={name} />
      </label>
      <div class="row">
        <Degrees name="lat" label="Latitude" most={90} value={lat} />
        <Degrees name="lon" label="Longitude" most={180} value={lon} />
      </div>
      <p class="hint">A click on the map moves it there.</p>
      <label>
        Note
        <textarea name="desc" rows={4} maxLength={8_192} value={original?.desc ?? ''} />
      </label>
      {failure.value !== undefined && <Failed sentence={failure.value} />}
      <div class="row">
        <button type="submit" class="main">
          Save
        </button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface DegreesProps {
  readonly name: string;
  readonly label: string;
  readonly most: number;
  readonly value: number;
}

function Degrees({ name, label, most, value }: DegreesProps): JSX.Element {
  return (
    <label class="grow">
      {label}
      <input
        type="number"
        name={name}
        required
        step="any"
        min={-most}
        max={most}
        value={Number(value.toFixed(6))}
      />
    </label>
  );
}

function store(original: Waypoint | undefined, form: FormData): Promise<Waypoint> {
  const name = textOf(form, 'name');
  const [lat, lon] = [Number(form.get('lat')), Number(form.get('lon'))];
  const desc = textOf(form, 'desc');
  if (original === undefined) {
    return service.addWaypoint({ name, lat, lon, ...(desc !== '' && { desc }) });
  }
  return service.editWaypoint(original, {
    ...(name !== original.name && { name }),
    // A position that only lost digits nobody sees stays as it is.
    ...(isMoved(original, lat, lon) && { lat, lon }),
    ...(desc !== (original.desc ?? '') && { desc: desc === '' ? null : desc }),
  });
}

function isMoved(original: Waypoint, lat: number, lon: number): boolean {
  return Number(original.lat.toFixed(6)) !== lat || Number(original.lon.toFixed(6)) !== lon;
}
