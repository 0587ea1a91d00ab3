import { signal } from '@preact/signals';
import type { Bbox, ImportResult } from '../../client/waypoints/index.ts';
import { sumResults, type ImportSum } from '../../client/waypoints/import-words.ts';
import { refresh, service, session } from './service.ts';
import { notify, openTab, target } from './state.ts';
import { boxOf } from './track-points.ts';
import { several } from './words.ts';

/** A file that is to be imported, and the relative path that it is kept under. */
interface Upload {
  readonly path: string;
  readonly file: File;
}

/** How far the uploads are, in words and bytes; undefined while there are none. */
export const progress = signal<Readonly<{ words: string; bytes: number; totalBytes: number }>>();

/** The result of the last import; undefined once the user has read it. */
export interface Outcome {
  readonly sum: ImportSum;
  /** Files that the daemon did not take, each with why. */
  readonly unsent: readonly string[];
  readonly isStopped: boolean;
}

export const outcome = signal<Outcome>();

/** More at once are better imported by the command line. */
const mostFiles = 5_000;
/** Of more, the map goes to the newest. */
const mostShown = 1_000;

let abort = new AbortController();

/** Ends the file that is under way, and forgets the others. */
export function cancelUploads(): void {
  abort.abort();
}

/** Dropped or chosen entries; null for anything but files and folders. */
type Chosen = FileSystemEntry | File | null;

/** Imports files, those in folders included, one after the other; a daemon that is busy takes each in its turn. */
export async function upload(chosen: readonly Chosen[]): Promise<void> {
  const uploads: Upload[] = [];
  for (const one of chosen) await collect(one, uploads);
  if (uploads.length === 0) return;
  if (progress.value !== undefined)
    return notify('An import is running already.', { isError: true });
  if (uploads.length > mostFiles) {
    const text = `${several(uploads.length, 'file')} are too many here: run “waypointd import FOLDER”.`;
    return notify(text, { isError: true });
  }
  abort = new AbortController();
  const totalBytes = uploads.reduce((sum, { file }) => sum + file.size, 0);
  let bytes = 0;
  const results: ImportResult[] = [];
  const unsent: string[] = [];
  outcome.value = undefined;
  for (const [done, one] of uploads.entries()) {
    if (abort.signal.aborted) break;
    const words = `File ${done + 1} of ${uploads.length}: ${one.path}`;
    const tell = (sent: number): void => {
      progress.value = { words, bytes: bytes + sent, totalBytes };
    };
    tell(0);
    const answer = await send(one, tell);
    if (typeof answer === 'string') unsent.push(`${one.path}: ${answer}`);
    else results.push({ ...answer, dir: '' });
    bytes += one.file.size;
  }
  progress.value = undefined;
  refresh();
  const sum = sumResults(results);
  outcome.value = { sum, unsent, isStopped: abort.signal.aborted };
  openTab('library');
  const bbox = await boxOfNewest(sum.files).catch(() => undefined);
  if (bbox !== undefined) target.value = { bbox };
}

/** Where the files are that came in last. */
async function boxOfNewest(files: number): Promise<ReturnType<typeof boxOf>> {
  const limit = Math.min(files, mostShown);
  const newest = files === 0 ? [] : (await service.getImports({ state: 'active', limit })).files;
  // Sound: a box has four numbers.
  const boxes = newest.flatMap(({ bbox }) => (bbox ? [bbox as unknown as Bbox] : []));
  return boxOf(
    boxes.flatMap(([west, south, east, north]) => [
      [west, south],
      [east, north],
    ]),
  );
}

/** @returns what the daemon says of it, or why it was not sent. */
function send(
  { path, file }: Upload,
  tell: (sent: number) => void,
): Promise<ImportResult | string> {
  const request = new XMLHttpRequest();
  const { promise, resolve } = Promise.withResolvers<ImportResult | string>();
  // In place of that of the file before.
  abort.signal.onabort = () => request.abort();
  request.upload.addEventListener('progress', ({ loaded }) => tell(loaded));
  request.addEventListener('loadend', () => {
    resolve(abort.signal.aborted ? 'stopped' : outcomeOf(request));
  });
  // The one request whose progress is shown, which fetch does not tell.
  request.open('PUT', `/api/imports?path=${encodeURIComponent(path)}`);
  for (const [name, value] of Object.entries(session?.headers ?? {})) {
    request.setRequestHeader(name, value);
  }
  request.responseType = 'json';
  request.send(file);
  return promise;
}

function outcomeOf({ status, response }: XMLHttpRequest): ImportResult | string {
  // Sound: the answer is our server's; null where it is none.
  const answer = response as (ImportResult & { readonly message?: string }) | null;
  if (status === 201 && answer !== null) return answer;
  return answer?.message ?? 'waypointd does not answer';
}

async function collect(one: Chosen, found: Upload[]): Promise<void> {
  if (found.length > mostFiles) return;
  if (one instanceof File) {
    found.push({ path: one.name, file: one });
  } else if (one instanceof FileSystemFileEntry) {
    const file = await new Promise<File>((...settle) => one.file(...settle));
    found.push({ path: one.fullPath.replace(/^\/+/u, ''), file });
  } else if (one instanceof FileSystemDirectoryEntry) {
    const reader = one.createReader();
    let some: FileSystemEntry[];
    do {
      some = await new Promise((...settle) => reader.readEntries(...settle));
      for (const each of some) await collect(each, found);
    } while (some.length > 0);
  }
}
