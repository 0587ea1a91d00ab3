import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePlaces, writeTrack, type GeneratedSource } from './data.ts';
import { LatencyProbe } from './measure/latency-probe.ts';
import type { Plan } from './plan.ts';
import type { ChartName, ChartPoint } from './report/charts.ts';
import type { Figure } from './report/figure.ts';
import { addTags } from './subjects/stored-tags.ts';
import { installedPeers, type Peer } from './subjects/peers.ts';
import { ServerProcess } from './subjects/server-process.ts';

/** A process or thread that must not outlive the session. */
interface Running {
  stop(): Promise<void>;
}

/** One question that the bench answers. */
export interface Scenario {
  readonly name: string;
  /** What the figures are about, a few words. */
  readonly title: string;
  /** Gives each figure when it is measured, so that a later failure does not lose it. */
  readonly run: (session: Session) => AsyncIterable<Figure>;
}

/** One seed for everything: two runs see the same data. */
export const seed = 2026;

/** What scenarios share: a temporary directory, generated sources, filled stores and the processes to end. */
export class Session {
  readonly plan: Plan;
  /** What the charts are drawn from, in the order in which it was measured. */
  readonly points: ChartPoint[] = [];
  readonly #root: string;
  readonly #running = new Set<Running>();
  readonly #sources = new Map<string, GeneratedSource>();
  readonly #filled = new Map<number, string>();
  #directories = 0;
  #isClosing = false;
  #peers: Peer[] | undefined;

  constructor(plan: Plan, temporary: string) {
    this.plan = plan;
    this.#root = mkdtempSync(join(resolve(temporary), 'waypointd-bench-'));
  }

  /** Says what is going on; figures go to the results instead. */
  say(line: string): void {
    console.error(line);
  }

  /** A new empty directory. */
  directory(): string {
    this.#directories += 1;
    const directory = join(this.#root, String(this.#directories));
    mkdirSync(directory, { mode: 0o700 });
    return directory;
  }

  /** The other programs that are installed here. */
  peers(): Peer[] {
    return (this.#peers ??= installedPeers((line) => this.say(line)));
  }

  /** A track file of so many points, written once. */
  track(points: number): GeneratedSource {
    return this.source(`track ${points}`, (directory) => writeTrack(directory, { seed, points }));
  }

  /** A file of so many waypoints, written once. */
  places(count: number): GeneratedSource {
    return this.source(`places ${count}`, (directory) => writePlaces(directory, { seed, count }));
  }

  /** Anything else that is generated once, by name. */
  source(name: string, write: (directory: string) => GeneratedSource): GeneratedSource {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const made = write(this.directory());
    this.#sources.set(name, made);
    return made;
  }

  /** Starts a daemon, on new directories unless it is given some; it is stopped at the latest with the session. */
  async daemon(root = this.directory()): Promise<ServerProcess> {
    return this.starting(() => ServerProcess.startDaemon(root));
  }

  /** Starts the bare server that others are compared with. */
  async bareServer(kind?: 'koa'): Promise<ServerProcess> {
    const root = this.directory();
    return this.starting(() => ServerProcess.startBare(root, kind));
  }

  /**
   * Starts something that is stopped at the latest with the session, also when that ends in the middle of the start.
   * @throws Error when the session is ending.
   */
  async starting<T extends Running>(start: () => Promise<T>): Promise<T> {
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

  /** Has something stopped at the latest with the session. */
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
    return this.keep(new LatencyProbe({ port: server.port, request, intervalMs }));
  }

  /** Has a cost shown in a chart, if it could be measured. */
  plot(chart: ChartName, series: string, size: number, cost: number | undefined): void {
    if (cost !== undefined && cost > 0) this.points.push({ chart, series, size, cost });
  }

  /** Directories of a daemon that has imported so many waypoints, a third of them with tags; no daemon runs on them. */
  async filled(count: number): Promise<string> {
    const known = this.#filled.get(count);
    if (known !== undefined) return known;
    this.say(`filling a store with ${count.toLocaleString('en')} waypoints`);
    const root = this.directory();
    const daemon = await this.daemon(root);
    const result = await daemon.importDirectory(this.places(count).directory);
    await this.stop(daemon);
    if (result.dedup_count !== count)
      throw new Error(`${result.dedup_count} of ${count} are stored`);
    addTags(join(root, 'data/waypoints.sqlite'), { seed, count });
    this.#filled.set(count, root);
    return root;
  }

  /** A copy of {@link filled} to be changed; {@link discard} it. */
  async filledCopy(count: number): Promise<string> {
    const copy = this.directory();
    cpSync(await this.filled(count), copy, { recursive: true });
    return copy;
  }

  /** Deletes a directory of a finished round before the next one needs the space. */
  discard(directory: string): void {
    rmSync(directory, { recursive: true, force: true });
  }

  /** Ends what a scenario that failed has left running. */
  async stopAll(): Promise<void> {
    await Promise.allSettled([...this.#running].map((running) => this.stop(running)));
  }

  /** Ends what still runs and deletes everything. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.stopAll();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
