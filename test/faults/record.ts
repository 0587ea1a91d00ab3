/** The system calls of a daemon, with their data, as events on a simulated disk. */
import { readFileSync } from 'node:fs';
import { parseRecord, type SystemCall } from '../helpers/strace.ts';
import type { SimulatedDisk } from './disk.ts';

const traced =
  'openat,close,write,pwrite64,writev,pwritev,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,copy_file_range,sendfile,fallocate,statx';

/** The words of strace before a command whose record is to be replayed. */
export function recorder(path: string): string[] {
  const whole = ['-s', '4000000', '-e', 'abbrev=none'];
  return ['strace', '-D', '-f', '-yy', ...whole, '-e', `trace=${traced}`, '-o', path];
}

/** One thing that happens to the disk or to a client, in the order in which it shows. */
export interface Moment {
  readonly line: number;
  readonly call: SystemCall;
  /** An answer that says done begins to leave. */
  readonly isAnswer: boolean;
  /** A kind of moment before which a power cut is worth looking at: the name of the call and of the file. */
  readonly kind: string;
}

/** Reads what {@link recorder} wrote, without the calls that failed and those on other files. */
export function readMoments(path: string, root: string): Moment[] {
  const calls = parseRecord(readFileSync(path, 'latin1'));
  const moments = calls.flatMap((call) => {
    const isAnswer = call.path.startsWith('TCP') && /"HTTP\/1\.1 20[0-9]/u.test(call.args);
    const isBelow = call.path === root || call.path.startsWith(`${root}/`);
    const isOurs = isBelow && (call.result ?? -1) >= 0;
    if (!isAnswer && !isOurs && call.name !== 'close') return [];
    // A client may see an answer as soon as its write begins; the disk shows a write when that has ended.
    const line = isAnswer ? call.begin : call.end;
    const kind = isAnswer ? 'answer' : `${call.name} ${call.path.slice(root.length)}`;
    return [{ line, call, isAnswer, kind }];
  });
  return moments.toSorted((a, b) => a.line - b.line);
}

interface OpenFile {
  readonly path: string;
  readonly file: NonNullable<ReturnType<SimulatedDisk['file']>>;
  readonly isAppending: boolean;
  position: number;
}

/** Lets a recorded program work on a simulated disk. */
export class Replay {
  readonly #disk: SimulatedDisk;
  readonly #open = new Map<number, OpenFile>();

  constructor(disk: SimulatedDisk) {
    this.#disk = disk;
  }

  /** Does what one call did. @throws Error for a call that would change the disk in a way not known here. */
  follow({ call, line }: Moment): void {
    const { name, path, args } = call;
    if (name === 'close') this.#open.delete(Number.parseInt(args, 10));
    if (!this.#disk.covers(path) || name === 'close' || this.#rename(call, line)) return;
    if (name === 'openat') this.#openFile(call, line);
    else if (name.endsWith('sync')) this.#disk.sync(path, call.begin);
    else if (name === 'statx') this.#noteTimes(call);
    else if (name === 'ftruncate') this.#file(call).file.resize(lastNumber(args), line);
    else if (name.includes('write')) this.#write(call, line);
    else throw new Error(`${name} is not replayed: ${args.slice(0, 200)}`);
  }

  /** @returns whether it was a call that changes names. */
  #rename({ name, path, target = '' }: SystemCall, line: number): boolean {
    if (name.startsWith('mkdir')) this.#disk.makeDirectory(path, line);
    else if (name.startsWith('rename')) this.#disk.rename(path, target, line);
    else if (name.startsWith('link')) this.#disk.link(path, target, line);
    else if (name.startsWith('unlink') || name === 'rmdir') this.#disk.remove(path, line);
    else return false;
    return true;
  }

  #openFile({ path, args, result = -1 }: SystemCall, line: number): void {
    const mode = Number.parseInt(/, (0\d+)\) +=/u.exec(args)?.[1] ?? '0600', 8);
    const isThere = this.#disk.file(path) !== undefined;
    if (!isThere && !args.includes('O_CREAT')) return;
    const file = this.#disk.file(path) ?? this.#disk.create(path, mode & 0o700, line);
    if (isThere && args.includes('O_TRUNC') && file.size > 0) file.resize(0, line);
    this.#open.set(result, { path, file, isAppending: args.includes('O_APPEND'), position: 0 });
  }

  #file({ args, path }: SystemCall): OpenFile {
    const open = this.#open.get(Number.parseInt(args, 10));
    if (open === undefined) throw new Error(`a write to ${path}, which was not opened`);
    return open;
  }

  #write(call: SystemCall, line: number): void {
    const open = this.#file(call);
    const { name, args, result = 0 } = call;
    const data = dataOf(args).subarray(0, result);
    if (data.length !== result) throw new Error(`${name}: ${data.length} of ${result} bytes`);
    const isPlaced = name.startsWith('p');
    const position = open.isAppending ? open.file.size : open.position;
    open.file.write(isPlaced ? lastNumber(args) : position, data, line);
    if (!isPlaced) open.position = position + result;
  }

  #noteTimes({ path, args }: SystemCall): void {
    const file = this.#disk.file(path);
    const [, seconds, nanoseconds = ''] =
      /stx_mtime=\{tv_sec=(\d+), tv_nsec=(\d+)\}/u.exec(args) ?? [];
    if (file !== undefined && seconds !== undefined)
      file.modified = `${seconds}.${nanoseconds.padStart(9, '0')}`;
  }
}

/** The offset or length at the end of a call's arguments. */
function lastNumber(args: string): number {
  return Number(/, (\d+)\) += \d+$/u.exec(args)?.[1]);
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  v: '\v',
  f: '\f',
  '"': '"',
  '\\': '\\',
};

/** The bytes of all texts of a call: of one buffer, or of the pieces of a vector. */
function dataOf(args: string): Buffer {
  const texts = [...args.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"/gu)].map(([, text = '']) =>
    text.replaceAll(/\\([0-7]{1,3}|.)/gu, (_all, code: string) =>
      /^[0-7]/u.test(code)
        ? String.fromCharCode(Number.parseInt(code, 8))
        : (escapes[code] ?? code),
    ),
  );
  return Buffer.from(texts.join(''), 'latin1');
}
