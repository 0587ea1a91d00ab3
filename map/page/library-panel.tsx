import type { JSX } from 'preact';
import { computed, signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { ChangesAnswer, HiddenAnswer } from '../../client/waypoints/index.ts';
import type { ImportedFile } from '../../model/imports.ts';
import { undo, wordsOf } from './undo.ts';
import { service, status } from './service.ts';
import { ExportBox, type Scope } from './export-box.tsx';
import { ImportSheet } from './import-sheet.tsx';
import { cancelUploads, outcome, progress, upload } from './uploads.ts';
import { keepLoaded, type Loaded } from './loaded.ts';
import { Shown } from './parts.tsx';
import { period, view } from './state.ts';
import { several, shortDate } from './words.ts';

const shelf = signal<Loaded<Awaited<ReturnType<typeof load>>>>({ state: 'none' });
const pageOfFiles = 50;
/** How many files are shown; more are, page by page. */
const mostFiles = signal(pageOfFiles);
const shownOfOthers = 20;

/** Parts that can be exported; the chosen period first. */
const scopes = computed((): Scope[] => {
  const chosen = period.value;
  return [
    ...(chosen ? [{ name: `${chosen.from} to ${chosen.to}`, query: { ...chosen } }] : []),
    { name: 'Everything', query: {} },
    { name: 'What the map shows', query: { bbox: view.value?.bbox.join(',') ?? '' } },
    { name: 'Bookmarks', query: { bookmarksOnly: 'true', contents: 'waypoints' } },
  ];
});

/** Lists imports, hidden waypoints and changes; each can be undone. */
export function LibraryPanel(): JSX.Element {
  useLayoutEffect(() => keepLoaded(shelf, () => load.bind(undefined, mostFiles.value)), []);
  return (
    <>
      {outcome.value && <ImportSheet of={outcome.value} />}
      <ImportBox />
      <Sums />
      <ExportBox scopes={scopes.value} />
      <Shown of={shelf.value} what="the library">
        {(known) => (
          <>
            <Listed
              title="Imported files"
              isOpen
              items={known.files.map(fileItem)}
              none="None yet."
            />
            {!known.isWhole && (
              <button onClick={() => (mostFiles.value += pageOfFiles)}>More files</button>
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

async function load(most: number) {
  const [{ hidden }, { changes }] = await Promise.all([
    service.getHidden({ limit: shownOfOthers }),
    service.getChanges({ limit: shownOfOthers }),
  ]);
  const files: ImportedFile[] = [];
  let next: string | undefined;
  do {
    const page = await service.getImports({ limit: pageOfFiles, cursor: next });
    files.push(...page.files);
    next = page.next_cursor;
  } while (next !== undefined && files.length < most);
  return { hidden, changes, files, isWhole: next === undefined };
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
            void upload([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
      </label>
    );
  }
  const { words, bytes, totalBytes } = running;
  return (
    <div class="import-box" role="group" aria-label="Import">
      <label>
        {words}
        <progress max={Math.max(1, totalBytes)} value={bytes} />
      </label>
      <button onClick={cancelUploads}>Cancel</button>
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

interface ItemProps {
  readonly text: string;
  readonly hint?: string;
  readonly isGone?: boolean;
  readonly action?: readonly [label: string, run: () => Promise<unknown> | void] | false;
}

function Item({ text, hint, isGone = false, action = false }: ItemProps): JSX.Element {
  return (
    <li class="row">
      <span class={isGone ? 'grow gone' : 'grow'}>
        {text}
        <span class="hint">{hint}</span>
      </span>
      {action && (
        // A notice tells a failure.
        <button class="small" onClick={() => void action[1]()?.catch(() => undefined)}>
          {action[0]}
          <span class="unseen"> {text}</span>
        </button>
      )}
    </li>
  );
}

function fileItem(file: ImportedFile): JSX.Element {
  const { id, path, state, first_time: first, track_points: points } = file;
  const isActive = state === 'active';
  const what = isActive ? several(points, 'point') : state;
  return (
    <Item
      key={id}
      text={path}
      hint={first === undefined ? what : `${what} · ${shortDate(first)}`}
      isGone={!isActive}
      action={
        isActive
          ? ['Remove', () => service.removeImport(id)]
          : ['Restore', () => service.restoreImport(id)]
      }
    />
  );
}

function hiddenItem(place: HiddenAnswer['hidden'][number]): JSX.Element {
  const key = `${place.name}\n${place.lat}\n${place.lon}`;
  return <Item key={key} text={place.name} action={['Show', () => service.showWaypoint(place)]} />;
}

const timeForm = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function changeItem(change: ChangesAnswer['changes'][number]): JSX.Element {
  const { id, at, kind, undone, undoable } = change;
  return (
    <Item
      key={id}
      text={wordsOf(kind)}
      hint={timeForm.format(Date.parse(at))}
      isGone={undone}
      action={undoable && !undone && ['Undo', () => undo(id)]}
    />
  );
}
