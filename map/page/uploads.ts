import { signal } from '@preact/signals';
import type { ImportResult } from '../../client/waypoints/index.ts';
import { refresh, session } from './service.ts';
import { notify } from './state.ts';
import { count, several } from './words.ts';

/** A file that is to be imported, and the relative path that it is kept under. */
interface Upload {
  readonly path: string;
  readonly file: File;
}

/** How far the uploads are, in words and bytes; undefined while there are none. */
export const progress = signal<Readonly<{ words: string; bytes: number; totalBytes: number }>>();

/** More at once are better imported by the command line. */
const mostFiles = 5_000;

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
  let [bytes, added] = [0, 0];
  const failures: string[] = [];
  for (const [done, one] of uploads.entries()) {
    if (abort.signal.aborted) break;
    const words = `File ${count(done + 1)} of ${count(uploads.length)}: ${one.path}`;
    const tell = (sent: number): void => {
      progress.value = { words, bytes: bytes + sent, totalBytes };
    };
    tell(0);
    const outcome = await send(one, tell);
    if (outcome === undefined) added += 1;
    else failures.push(`${one.path}: ${outcome}`);
    bytes += one.file.size;
  }
  progress.value = undefined;
  refresh();
  tellOutcome(added, failures);
}

function tellOutcome(added: number, failures: readonly string[]): void {
  const [first] = failures;
  if (abort.signal.aborted) {
    notify(`Stopped. ${several(added, 'file')} imported before.`);
  } else if (first === undefined) {
    notify(`${several(added, 'file')} imported.`);
  } else {
    const others = failures.length > 1 ? `, and ${failures.length - 1} more` : '';
    notify(`${several(added, 'file')} imported. Not imported: ${first}${others}.`, {
      isError: true,
    });
  }
}

/** @returns why the file was not imported; undefined when it was. */
function send({ path, file }: Upload, tell: (sent: number) => void): Promise<string | undefined> {
  const request = new XMLHttpRequest();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
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

function outcomeOf({ status, response }: XMLHttpRequest): string | undefined {
  // Sound: the answer is our server's; null where it is none.
  const answer = (response ?? {}) as Partial<ImportResult> & { readonly message?: string };
  if (status !== 201) return answer.message ?? 'waypointd does not answer';
  const [failure] = answer.failures ?? [];
  if (failure !== undefined) return failure.reason.replaceAll('_', ' ');
  if ((answer.unsupported ?? 0) > 0) return 'holds nothing that is read';
  return (answer.removed_files ?? []).length > 0 ? 'was removed before' : undefined;
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
