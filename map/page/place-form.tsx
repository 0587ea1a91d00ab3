import type { JSX, TargetedSubmitEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Waypoint } from '../../client/waypoints/index.ts';
import { find } from './places.ts';
import { service } from './service.ts';
import { draft, selected, type Draft } from './state.ts';

/** The form of a new bookmark, or of one that is changed; a click on the map moves it there. */
export function PlaceForm({ draft: given }: { readonly draft: Draft }): JSX.Element {
  const { original, lat, lon } = given;
  const { name: known = '' } = original ?? given;
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
      // A notice tells why.
      () => undefined,
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
        <input name="name" required maxLength={512} value={known} ref={name} />
      </label>
      <div class="row">
        <label class="grow">
          Latitude
          <input {...degrees} name="lat" min={-90} max={90} value={rounded(lat)} />
        </label>
        <label class="grow">
          Longitude
          <input {...degrees} name="lon" min={-180} max={180} value={rounded(lon)} />
        </label>
      </div>
      <p class="hint">A click on the map moves it there.</p>
      <label>
        Note
        <textarea name="desc" rows={4} maxLength={8_192} value={original?.desc ?? ''} />
      </label>
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

const degrees = { type: 'number', step: 'any', required: true } as const;

function rounded(value: number): number {
  return Number(value.toFixed(6));
}

function store(original: Waypoint | undefined, form: FormData): Promise<Waypoint> {
  const [name = '', desc = ''] = ['name', 'desc'].map((field) => form.get(field) as string);
  const [lat, lon] = [Number(form.get('lat')), Number(form.get('lon'))];
  if (original === undefined) {
    return service.addWaypoint({ name, lat, lon, ...(desc !== '' && { desc }) });
  }
  // A position that only lost digits nobody sees stays as it is.
  const isMoved = rounded(original.lat) !== lat || rounded(original.lon) !== lon;
  return service.editWaypoint(original, {
    ...(name !== original.name && { name }),
    ...(isMoved && { lat, lon }),
    ...(desc !== (original.desc ?? '') && { desc: desc === '' ? null : desc }),
  });
}
