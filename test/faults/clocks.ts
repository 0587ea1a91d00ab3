/** The wall clock jumps a year forward and back below a running daemon, and between two starts. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerWhen, until } from '../helpers/until.ts';
import { contentOf, objectOf, oidOf } from './script.ts';
import {
  download,
  makeObjectStore,
  siteIn,
  start,
  upload,
  type FaultOptions,
  type Running,
  type Site,
} from './site.ts';

const library = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find((path) => existsSync(path));

/** Why no clock can be set here; undefined where one can. */
export const whyNoClock = library === undefined ? 'no libfaketime' : undefined;

/** In the order in which they come; the last is the right time again. */
const jumps = ['+0', '+365d', '-365d', '+0'];

/** Lets the clock jump. @returns how often. */
export async function jumpClock({ directory, onFault }: FaultOptions): Promise<number> {
  const clock = join(directory, 'clock');
  const setClock = (offset: string): void => writeFileSync(clock, offset);
  setClock('+0');
  const site = siteIn(join(directory, 'site'), {
    LD_PRELOAD: library ?? '',
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  });
  await makeObjectStore(site);
  const life = new Life(site);
  let daemon = await start(site);
  const first = await life.timeline(daemon);
  for (const offset of jumps) {
    setClock(offset);
    const report = (fault: string): void => onFault(`clock at ${offset}: ${fault}`);
    await life.day(daemon).catch((error: unknown) => report(String(error)));
    if ((await daemon.ask('GET', `/api/timelines/${first}`)).status !== 200)
      report('a job from before is gone');
  }
  for (const offset of jumps) {
    if ((await daemon.end()) !== 0) onFault(`clock at ${offset}: it did not stop in order`);
    setClock(offset);
    daemon = await start(site);
    const report = (fault: string): void => onFault(`start with the clock at ${offset}: ${fault}`);
    await life.day(daemon).catch((error: unknown) => report(String(error)));
  }
  await daemon.end();
  return 2 * jumps.length;
}

/** What a person does in a day, and has done before. */
class Life {
  readonly #site: Site;
  readonly #dir: string;
  #days = 0;

  constructor(site: Site) {
    this.#site = site;
    this.#dir = join(site.root, 'home', 'tracks');
    mkdirSync(this.#dir);
  }

  /** Does one of each, and looks at all that was done before. @throws Error saying what is wrong */
  async day(daemon: Running): Promise<void> {
    this.#days += 1;
    const day = this.#days;
    const { done, ask } = daemon;
    const name = `Bookmark ${day}`;
    await done('POST', '/api/bookmarks', { name, lat: day, lon: 2 });
    await done('POST', '/api/history', { query: `query ${day}` });
    writeFileSync(join(this.#dir, 'a.gpx'), contentOf('a.gpx', day));
    const result = JSON.parse(await done('POST', '/api/import', { dir: this.#dir }));
    if (result.failed !== 0 || !result.imported) throw new Error('the import failed');
    await this.timeline(daemon);
    await until(() => readFileOr(join(this.#site.data, 'bookmarks.gpx')).includes(name));
    const content = objectOf(day);
    if ((await upload(daemon, oidOf(content), content)) !== 200) throw new Error('no upload');
    if ((await ask('GET', '/api/location')).status !== 204) throw new Error('a place from nowhere');
    await this.#lookBack(daemon);
  }

  /** A job of its own, until its end. @returns its id */
  async timeline({ done }: Running): Promise<string> {
    const period = { start_date: '2024-05-01', end_date: '2024-05-31' };
    const { job_id } = JSON.parse(await done('POST', '/api/timelines', period));
    const { state } = await answerWhen(
      async () => JSON.parse(await done('GET', `/api/timelines/${job_id}`)),
      (job) => job.state === 'completed' || job.state === 'failed',
    );
    if (state === 'failed') throw new Error('a timeline failed');
    return job_id;
  }

  async #lookBack(daemon: Running): Promise<void> {
    const list: { bookmark: boolean }[] = JSON.parse(await daemon.done('GET', '/api/waypoints'));
    const bookmarks = list.filter(({ bookmark }) => bookmark).length;
    if (bookmarks !== this.#days) throw new Error(`${bookmarks} bookmarks of ${this.#days}`);
    const { queries } = JSON.parse(await daemon.done('GET', '/api/recent_suggest?limit=200'));
    if (queries[0] !== `query ${this.#days}` || queries.length !== this.#days)
      throw new Error(`recent searches: ${queries.join(', ')}`);
    for (let day = 1; day <= this.#days; day += 1) {
      const oid = oidOf(objectOf(day));
      if ((await download(daemon, oid)) === undefined) throw new Error('an object is gone');
      const kept = join(
        this.#site.data,
        'imports',
        '.replaced',
        `${oidOf(contentOf('a.gpx', day))}.gpx`,
      );
      if (day < this.#days && !existsSync(kept))
        throw new Error('replaced bytes are gone too early');
    }
    const { changes } = JSON.parse(await daemon.done('GET', '/api/changes?limit=200'));
    if (changes.length < this.#days) throw new Error(`${changes.length} changes are left`);
  }
}

function readFileOr(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
