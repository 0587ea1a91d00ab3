import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePlaces, writeTrack, type GeneratedSource } from './data.ts';
import { LatencyProbe } from './measure/latency-probe.ts';
import type { Plan } from './plan.ts';
import { ServerProcess } from './subjects/server-process.ts';
import { addTags } from './subjects/stored-tags.ts';
import { fillLongLibrary } from './timelines/long-library.ts';
import type { Block } from './timelines/long-recording.ts';

/** A process or thread that must not outlive the session. */
interface Running {
  stop(): Promise<void>;
}

/** One seed for everything: two runs see the same data. */
export const seed = 2026;

/** Shared by scenarios: a temporary directory, generated sources, filled stores and the processes to end. */
export class Session {
  readonly plan: Plan;
  readonly #root: string;
  readonly #running = new Set<Running>();
  readonly #sources = new Map<string, GeneratedSource>();
  readonly #filled = new Map<number, string>();
  /** Directories of the subject that is measured now. */
  #used: string[] = [];
  #directories = 0;
  /** The daemon on a filled store that was asked last. */
  #asked: { readonly count: number; readonly daemon: ServerProcess } | undefined;
  #isClosing = false;

  constructor(plan: Plan, temporary: string) {
    this.plan = plan;
    this.#root = mkdtempSync(join(resolve(temporary), 'waypointd-bench-'));
  }

  /** Says what is going on; figures go to the results instead. */
  say(line: string): void {
    console.error(line);
  }

  /** A new empty directory, until the subject is done. */
  directory(): string {
    const directory = this.#lasting();
    this.#used.push(directory);
    return directory;
  }

  /** A track file of so many points, written once. */
  track(points: number, from = seed): GeneratedSource {
    return this.source(`track ${points} of ${from}`, (directory) =>
      writeTrack(directory, { seed: from, points }),
    );
  }

  /** A file of so many waypoints, written once. */
  places(count: number): GeneratedSource {
    return this.source(`places ${count}`, (directory) => writePlaces(directory, { seed, count }));
  }

  /** Anything else that is generated once, by name. */
  source(name: string, write: (directory: string) => GeneratedSource): GeneratedSource {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const made = write(this.#lasting());
    this.#sources.set(name, made);
    return made;
  }

  /** Starts a daemon, on new directories unless it is given some; it is stopped at the latest with the subject. */
  daemon(root = this.directory()): Promise<ServerProcess> {
    return this.#starting(() => ServerProcess.startDaemon(root));
  }

  /** Starts the object server on a store. */
  objectServer(root: string): Promise<ServerProcess> {
    return this.#starting(() => ServerProcess.startObjects(root));
  }

  /** Starts the bare server that others are compared with. */
  bareServer(kind?: 'koa'): Promise<ServerProcess> {
    const root = this.directory();
    return this.#starting(() => ServerProcess.startBare(root, kind));
  }

  /** Also what the end of the session meets in the middle of its start is ended. */
  async #starting(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
    if (this.#isClosing) throw new Error('the bench is ending');
    const started = start();
    const pending: Running = { stop: async () => (await started).stop() };
    this.#running.add(pending);
    try {
      return this.keep(await started);
    } finally {
      this.#running.delete(pending);
    }
  }

  /** Has something stopped at the latest with the subject. */
  keep<T extends Running>(running: T): T {
    this.#running.add(running);
    return running;
  }

  async stop(running: Running): Promise<void> {
    this.#running.delete(running);
    await running.stop();
  }

  /** Asks a server for something small at a steady pace, from now on. */
  probe(server: ServerProcess, path: string, intervalMs: number): LatencyProbe {
    const request = server.request(path);
    return this.keep(new LatencyProbe({ request, intervalMs }));
  }

  /** Directories of a daemon that has imported so many waypoints, a third of them with tags; no daemon runs on them. */
  async filled(count: number): Promise<string> {
    const known = this.#filled.get(count);
    if (known !== undefined) return known;
    this.say(`filling a store with ${count.toLocaleString('en')} waypoints`);
    const root = this.#lasting();
    const daemon = await this.daemon(root);
    const result = await daemon.importDirectory(this.places(count).directory);
    await this.stop(daemon);
    if (result.dedup_count !== count)
      throw new Error(`${result.dedup_count} of ${count} are stored`);
    addTags(join(root, 'data/waypoints.sqlite'), { seed, count });
    this.#filled.set(count, root);
    return root;
  }

  /** A daemon on {@link filled}: the same one for subjects one after the other, so that it is warm. */
  async filledDaemon(count: number): Promise<ServerProcess> {
    if (this.#asked?.count !== count) {
      await this.#asked?.daemon.stop();
      this.#asked = undefined;
      const daemon = await this.daemon(await this.filled(count));
      this.#running.delete(daemon);
      this.#asked = { count, daemon };
    }
    return this.#asked.daemon;
  }

  /** New directories of a daemon whose library holds a long recording; no daemon runs on them. */
  async recorded(blocks: Iterable<Block>): Promise<{ root: string; observations: number }> {
    const root = this.directory();
    // The daemon makes its stores itself.
    await this.stop(await this.daemon(root));
    return { root, observations: fillLongLibrary(join(root, 'data'), blocks) };
  }

  /** Deletes a directory before the next one needs the space. */
  discard(directory: string): void {
    rmSync(directory, { recursive: true, force: true });
  }

  /** Ends what still runs and deletes what only one subject needed. */
  async clear(): Promise<void> {
    await Promise.allSettled([...this.#running].map((running) => this.stop(running)));
    for (const directory of this.#used) this.discard(directory);
    this.#used = [];
  }

  /** Ends what still runs and deletes everything. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#asked?.daemon.stop();
    await this.clear();
    this.discard(this.#root);
  }

  #lasting(): string {
    this.#directories += 1;
    const directory = join(this.#root, String(this.#directories));
    mkdirSync(directory, { mode: 0o700 });
    return directory;
  }
}
