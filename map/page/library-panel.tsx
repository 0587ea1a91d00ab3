import type { JSX } from 'preact';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChangesAnswer, HiddenAnswer } from '../../client/waypoints/index.ts';
import type { ImportedFile } from '../../model/imports.ts';
import { changeWords, undo } from './undo.ts';
import { refresh, revision, service, status } from './service.ts';
import { cancelUploads, chosenFiles, progress, upload } from './uploads.ts';
import { count, several, shortDate } from './words.ts';

const files = signal<readonly ImportedFile[]>([]);
const nextFiles = signal<string>();
const hidden = signal<HiddenAnswer['hidden']>([]);
const changes = signal<ChangesAnswer['changes']>([]);
const pageOfFiles = 50;
const shownOfOthers = 20;

/** What was imported, what was hidden, and what was changed; each can be taken back. */
export function LibraryPanel(): JSX.Element {
  const shownRevision = revision.value;
  useEffect(() => void load(), [shownRevision]);
  return (
    <>
      <ImportBox />
      <Sums />
      <Files />
      <Hidden />
      <Changes />
    </>
  );
}

async function load(): Promise<void> {
  const nothing = { files: [], hidden: [], changes: [] };
  const none = (): typeof nothing => nothing;
  const [page, hiddenPage, changed] = await Promise.all([
    service.getImports({ limit: pageOfFiles }).catch(none),
    service.getHidden({ limit: shownOfOthers }).catch(none),
    service.getChanges({ limit: shownOfOthers }).catch(none),
  ]);
  files.value = page.files;
  nextFiles.value = 'next_cursor' in page ? page.next_cursor : undefined;
  hidden.value = hiddenPage.hidden;
  changes.value = changed.changes;
}

async function loadMore(): Promise<void> {
  const page = await service.getImports({ limit: pageOfFiles, cursor: nextFiles.value });
  files.value = [...files.value, ...page.files];
  nextFiles.value = page.next_cursor;
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

function Files(): JSX.Element {
  return (
    <details open>
      <summary>Imported files</summary>
      <ul class="list">
        {files.value.map((file) => (
          <FileItem key={file.id} file={file} />
        ))}
      </ul>
      {nextFiles.value !== undefined && (
        <button type="button" onClick={() => void loadMore()}>
          More files
        </button>
      )}
      {files.value.length === 0 && <p class="hint">None yet.</p>}
    </details>
  );
}

function FileItem({ file }: { readonly file: ImportedFile }): JSX.Element {
  const { id, path, state, first_time: first, track_points: points } = file;
  const isActive = state === 'active';
  const act = async (): Promise<void> => {
    await (isActive ? service.removeImport(id) : service.restoreImport(id));
    refresh();
  };
  return (
    <li class="row">
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

function Hidden(): JSX.Element {
  return (
    <details>
      <summary>Hidden waypoints</summary>
      <ul class="list">
        {hidden.value.map((place) => (
          <li class="row" key={`${place.name}\n${place.lat}\n${place.lon}`}>
            <span class="grow">{place.name}</span>
            <button type="button" class="small" onClick={() => void service.showWaypoint(place)}>
              Show<span class="unseen"> {place.name}</span>
            </button>
          </li>
        ))}
      </ul>
      {hidden.value.length === 0 && <p class="hint">None.</p>}
    </details>
  );
}

const timeForm = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function Changes(): JSX.Element {
  return (
    <details>
      <summary>Latest changes</summary>
      <ul class="list">
        {changes.value.map(({ id, at, kind, undone, undoable }) => (
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
        ))}
      </ul>
      {changes.value.length === 0 && <p class="hint">None in the last 30 days.</p>}
    </details>
  );
}
