/**
 * A file system as the system calls of a program make it, and what a power cut leaves of it. Only what was synced is
 * sure to be there: data of a file after a sync of the file, names after a sync of their directory. All else may be
 * there, be missing, or be there in part, in any order.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../bench/random.ts';

/** What happens to that which was not synced. */
export const fates = ['kept', 'dropped', 'in order', 'at random'] as const;
export type Fate = (typeof fates)[number];

/** Disks write whole sectors. */
const sectorBytes = 512;

type Change =
  | { readonly at: number; readonly data: Buffer; readonly line: number }
  | { readonly size: number; readonly line: number };

class SimulatedFile {
  readonly mode: number;
  size: number;
  /** What the program was last told, seconds since 1970 to the nanosecond: it compares these. */
  modified: string | undefined;
  #synced: Buffer;
  #changes: Change[] = [];

  constructor(mode: number, synced: Buffer = Buffer.alloc(0)) {
    this.mode = mode;
    this.#synced = synced;
    this.size = synced.length;
  }

  write(at: number, data: Buffer, line: number): void {
    this.#changes.push({ at, data, line });
    this.size = Math.max(this.size, at + data.length);
  }

  resize(size: number, line: number): void {
    this.#changes.push({ size, line });
    this.size = size;
  }

  /** What was done before a line is on the disk. */
  sync(line: number): void {
    const isCovered = (change: Change): boolean => change.line < line;
    this.#synced = applied(this.#synced, this.#changes.filter(isCovered));
    this.#changes = this.#changes.filter((change) => !isCovered(change));
  }

  /** The content after a power cut. */
  after(fate: Fate, random: Random): Buffer {
    if (fate === 'kept') return applied(this.#synced, this.#changes);
    if (fate === 'dropped') return this.#synced;
    if (fate === 'at random')
      return applied(
        this.#synced,
        this.#changes.flatMap((change) => partOf(change, random)),
      );
    const count = random.below(this.#changes.length + 1);
    const last = this.#changes[count];
    const whole = this.#changes.slice(0, count);
    return applied(this.#synced, last === undefined ? whole : [...whole, ...partOf(last, random)]);
  }
}

function applied(before: Buffer, changes: readonly Change[]): Buffer {
  let content = before;
  for (const change of changes) {
    const size =
      'size' in change ? change.size : Math.max(content.length, change.at + change.data.length);
    const next = Buffer.alloc(size);
    content.copy(next);
    if ('data' in change) change.data.copy(next, change.at);
    content = next;
  }
  return content;
}

/** All, nothing, or the first sectors of a change; or its length without its data. */
function partOf(change: Change, random: Random): Change[] {
  const part = random.below(4);
  if ('size' in change) return part < 2 ? [change] : [];
  const { at, data, line } = change;
  if (part === 0) return [];
  if (part === 1) return [{ at: at + data.length, data: Buffer.alloc(0), line }];
  if (part === 2) return [change];
  const end = at + random.below(data.length + 1);
  const length = Math.max(0, Math.min(data.length, end - (end % sectorBytes) - at));
  return [{ at, data: data.subarray(0, length), line }];
}

type Node = SimulatedFile | SimulatedDirectory;

class SimulatedDirectory {
  readonly entries = new Map<string, Node>();
  readonly synced = new Map<string, Node>();
}

/** One name of a directory that gets or loses what it names. */
interface Link {
  readonly directory: SimulatedDirectory;
  readonly name: string;
  readonly node: Node | undefined;
}

/** A rename takes one name and gives another, both or neither. */
interface Renaming {
  links: Link[];
  readonly line: number;
}

/** All below one directory, which exists. Paths are absolute; those outside are not followed. */
export class SimulatedDisk {
  readonly #root: string;
  readonly #top = new SimulatedDirectory();
  #renamings: Renaming[] = [];

  /** Takes what is there as synced. */
  constructor(root: string) {
    this.#root = root;
    readTree(root, this.#top);
  }

  covers(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }

  file(path: string): SimulatedFile | undefined {
    const node = this.#find(path);
    return node instanceof SimulatedFile ? node : undefined;
  }

  create(path: string, mode: number, line: number): SimulatedFile {
    const file = new SimulatedFile(mode);
    this.#change(line, this.#link(path, file));
    return file;
  }

  makeDirectory(path: string, line: number): void {
    this.#change(line, this.#link(path, new SimulatedDirectory()));
  }

  link(from: string, to: string, line: number): void {
    this.#change(line, this.#link(to, this.#find(from)));
  }

  remove(path: string, line: number): void {
    this.#change(line, this.#link(path, undefined));
  }

  rename(from: string, to: string, line: number): void {
    // POSIX: of two names of one file, or one name twice, both stay.
    if (this.#find(from) === this.#find(to)) return;
    this.#change(line, this.#link(to, this.#find(from)), this.#link(from, undefined));
  }

  /** A file's data or a directory's names, as they were before a line, are on the disk. */
  sync(path: string, line: number): void {
    const node = path === this.#root ? this.#top : this.#find(path);
    if (node instanceof SimulatedFile) node.sync(line);
    if (!(node instanceof SimulatedDirectory)) return;
    const covered = new Set<Renaming>();
    const names: Link[] = [];
    for (const renaming of this.#renamings.toReversed()) {
      const isNamed = renaming.links.some((one) => one.directory === node && renaming.line < line);
      // A rename into this directory takes what was done to its old name with it.
      if (!isNamed && !renaming.links.some((one) => names.some((other) => isSame(one, other))))
        continue;
      covered.add(renaming);
      names.push(...renaming.links);
    }
    for (const renaming of this.#renamings) if (covered.has(renaming)) this.#settle(renaming);
    this.#renamings = this.#renamings.filter((renaming) => !covered.has(renaming));
  }

  /** Writes what a power cut leaves at this moment into an empty directory. */
  writeTo(target: string, fate: Fate, random: Random): void {
    const names = new Map<SimulatedDirectory, Map<string, Node>>();
    for (const { directory, name, node } of this.#surviving(fate, random)) {
      const seen = names.get(directory) ?? new Map(directory.synced);
      names.set(directory, seen);
      setOrDelete(seen, name, node);
    }
    const contents = new Map<SimulatedFile, Buffer>();
    const touches: string[] = [];
    const write = (directory: SimulatedDirectory, path: string): void => {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      for (const [name, node] of names.get(directory) ?? directory.synced) {
        const below = join(path, name);
        if (node instanceof SimulatedDirectory) write(node, below);
        else {
          const content = contents.get(node) ?? node.after(fate, random);
          contents.set(node, content);
          writeFileSync(below, content, { mode: node.mode });
          if (node.modified !== undefined) touches.push(`touch -d '@${node.modified}' '${below}'`);
        }
      }
    };
    write(this.#top, target);
    execFileSync('sh', { input: touches.join('\n') });
  }

  #surviving(fate: Fate, random: Random): Link[] {
    if (fate === 'dropped') return [];
    if (fate === 'kept') return this.#renamings.flatMap(({ links }) => links);
    if (fate === 'in order') {
      const count = random.below(this.#renamings.length + 1);
      return this.#renamings.slice(0, count).flatMap(({ links }) => links);
    }
    // What builds on a name that was lost is lost as well.
    const lost = new Map<SimulatedDirectory, Set<string>>();
    return this.#renamings.flatMap(({ links }) => {
      const isLost = random.oneIn(2) || links.some((one) => lost.get(one.directory)?.has(one.name));
      if (!isLost) return links;
      for (const { directory, name } of links)
        lost.set(directory, (lost.get(directory) ?? new Set()).add(name));
      return [];
    });
  }

  #settle({ links }: Renaming): void {
    for (const { directory, name, node } of links) setOrDelete(directory.synced, name, node);
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#top;
    for (const name of path.slice(this.#root.length + 1).split('/'))
      node = node instanceof SimulatedDirectory ? node.entries.get(name) : undefined;
    return node;
  }

  #link(path: string, node: Node | undefined): Link {
    const parent = dirname(path);
    const directory = parent === this.#root ? this.#top : this.#find(parent);
    if (!(directory instanceof SimulatedDirectory)) throw new Error(`no directory ${parent}`);
    return { directory, name: path.slice(parent.length + 1), node };
  }

  #change(line: number, ...links: Link[]): void {
    for (const { directory, name, node } of links) setOrDelete(directory.entries, name, node);
    this.#renamings.push({ links, line });
  }
}

function isSame(one: Link, other: Link): boolean {
  return one.directory === other.directory && one.name === other.name;
}

function setOrDelete(map: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node === undefined) map.delete(name);
  else map.set(name, node);
}

function readTree(path: string, directory: SimulatedDirectory): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    const stats = statSync(below);
    const node = entry.isDirectory()
      ? new SimulatedDirectory()
      : new SimulatedFile(stats.mode & 0o777, readFileSync(below));
    if (node instanceof SimulatedDirectory) readTree(below, node);
    directory.entries.set(entry.name, node);
    directory.synced.set(entry.name, node);
  }
}
