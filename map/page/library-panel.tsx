import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangesAnswer, HiddenAnswer } from '../../client/waypoints/index.ts';
import type { ImportedFile } from '../../model/imports.ts';
import { changeWords, undo } from './undo.ts';
import { refresh, revision, service, status } from './service.ts';
import { cancelUploads, chosenFiles, progress, upload } from './uploads.ts';
import { fetchInto, type Loaded } from './loaded.ts';
import { Shown } from './parts.tsx';
import { count, several, shortDate } from './words.ts';

interface Shelf extends Pick<HiddenAnswer, 'hidden'>, Pick<ChangesAnswer, 'changes'> {
  readonly files: readonly ImportedFile[];
  /** Where the next page of files begins; undefined on the last one. */
  readonly next?: string | undefined;
}

const shelf = signal<Loaded<Shelf>>({ state: 'none' });
const pageOfFiles = 50;
const shownOfOthers = 20;

/** What was imported, what was hidden, and what was changed; each can be taken back. */
export function LibraryPanel(): JSX.Element {
  const shownRevision = revision.value;
  useEffect(() => void fetchInto(shelf, load), [shownRevision]);
  return (
    <>
      <ImportBox />
      <Sums />
      <Shown of={shelf.value} what="the library">
        {(known) => (
          <>
            <Listed
              title="Imported files"
              isOpen
              items={known.files.map(fileItem)}
              none="None yet."
            />
            {known.next !== undefined && (
              <button type="button" onClick={() => void fetchInto(shelf, () => withMore(known))}>
                More files
              </button>
            )}
            <Listed title="Hidden waypoints" items={known.hidden.map(hiddenItem)} none="None." />
            <Listed
              title="Latest changes"
              items={known.changes.map(changeItem)}
              none="None in the last 30 days."
            />
          </>
        )}
      </Shown>
    </>
  );
}

async function load(): Promise<Shelf> {
  const [{ files, next_cursor: next }, { hidden }, { changes }] = await Promise.all([
    service.getImports({ limit: pageOfFiles }),
    service.getHidden({ limit: shownOfOthers }),
    service.getChanges({ limit: shownOfOthers }),
  ]);
  return { files, next, hidden, changes };
}

async function withMore(known: Shelf): Promise<Shelf> {
  const page = await service.getImports({ limit: pageOfFiles, cursor: known.next });
  return { ...known, files: [...known.files, ...page.files], next: page.next_cursor };
}

/** Where files are chosen; they may be dropped anywhere. */
export function ImportBox(): JSX.Element {
  const running = progress.value;
  if (running === undefined) {
    return (
      <label class="import-box">
        <span>
          <strong>Import files</strong>
          <span class="hint">
            GPX, FIT, TCX, KML, GeoJSON, Google, CSV … Drop them anywhere on this page.
          </span>
        </span>
        <input
          type="file"
          multiple
          onChange={({ currentTarget }) => {
            void upload(chosenFiles(currentTarget.files));
            currentTarget.value = '';
          }}
        />
      </label>
    );
  }
  const { path, done, files: total, bytes, totalBytes } = running;
  return (
    <div class="import-box" role="group" aria-label="Import">
      <label>
        {`File ${count(done + 1)} of ${count(total)}: ${path}`}
        <progress max={Math.max(1, totalBytes)} value={bytes} />
      </label>
      <button type="button" onClick={cancelUploads}>
        Cancel
      </button>
    </div>
  );
}

function Sums(): JSX.Element | null {
  const { waypoints, bookmarks, imported } = status.value ?? {};
  if (imported === undefined) return null;
  const { files: number, track_points: points } = imported;
  return (
    <p class="hint">
      {several(number, 'file')} · {several(points, 'point')} · {several(waypoints ?? 0, 'waypoint')}{' '}
      · {several(bookmarks ?? 0, 'bookmark')}
    </p>
  );
}

interface ListedProps {
  readonly title: string;
  readonly isOpen?: boolean;
  readonly items: readonly JSX.Element[];
  /** Said where there is nothing. */
  readonly none: string;
}

function Listed({ title, isOpen = false, items, none }: ListedProps): JSX.Element {
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <ul class="list">{items}</ul>
      {items.length === 0 && <p class="hint">{none}</p>}
    </details>
  );
}

function fileItem(file: ImportedFile): JSX.Element {
  const { id, path, state, first_time: first, track_points: points } = file;
  const isActive = state === 'active';
  const act = async (): Promise<void> => {
    await (isActive ? service.removeImport(id) : service.restoreImport(id));
    refresh();
  };
  return (
    <li class="row" key={id}>
      <span class={isActive ? 'grow' : 'grow gone'}>
        {path}
        <span class="hint">
          {isActive ? several(points, 'point') : state}
          {first !== undefined && ` · ${shortDate(first)}`}
        </span>
      </span>
      <button type="button" class="small" onClick={() => void act().catch(() => undefined)}>
        {isActive ? 'Remove' : 'Restore'}
        <span class="unseen"> {path}</span>
      </button>
    </li>
  );
}

function hiddenItem(place: Shelf['hidden'][number]): JSX.Element {
  return (
    <li class="row" key={`${place.name}\n${place.lat}\n${place.lon}`}>
      <span class="grow">{place.name}</span>
      <button type="button" class="small" onClick={() => void service.showWaypoint(place)}>
        Show<span class="unseen"> {place.name}</span>
      </button>
    </li>
  );
}

const timeForm = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function changeItem({ id, at, kind, undone, undoable }: Shelf['changes'][number]): JSX.Element {
  return (
    <li class="row" key={id}>
      <span class={undone ? 'grow gone' : 'grow'}>
        {changeWords(kind)}
        <span class="hint">{timeForm.format(Date.parse(at))}</span>
      </span>
      {undoable && !undone && (
        <button type="button" class="small" onClick={() => undo(id)}>
          Undo<span class="unseen"> {changeWords(kind)}</span>
        </button>
      )}
    </li>
  );
}
