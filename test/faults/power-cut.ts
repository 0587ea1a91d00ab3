/**
 * Power cuts: the system calls of a daemon are recorded, its directory is built again as a cut at some moment would have
 * left it, and a daemon starts on that.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../bench/random.ts';
import { fates, SimulatedDisk, type Fate } from './disk.ts';
import { examineImage, type Expected } from './image.ts';
import { readMoments, recorder, Replay, type Moment } from './record.ts';
import { makeScript, nothing, type State, type Step } from './script.ts';
import { untilRecorded } from '../helpers/strace.ts';
import { makeObjectStore, siteIn, start, type FaultOptions } from './site.ts';

interface PowerCutOptions extends FaultOptions {
  readonly seed: number;
  readonly steps: number;
  /** How many images to start on. */
  readonly images: number;
  /** At once. */
  readonly workers: number;
}

/** Records a seeded script and starts on images of it. */
export async function cutPower(options: PowerCutOptions) {
  const { directory, seed, steps, images, workers, onFault } = options;
  const random = new Random(seed);
  const { disk, moments, states } = await recordScript(directory, makeScript(random, steps));
  const replay = new Replay(disk);
  const points = choosePoints(moments, images, random);
  const running = new Set<Promise<void>>();
  let answers = 0;
  let faulty = 0;
  for (const [at, moment] of moments.entries()) {
    for (const fate of points.get(at) ?? []) {
      const root = join(directory, `image-${at}-${fate.replaceAll(' ', '-')}`);
      disk.writeTo(root, fate, random);
      const check = examineImage(siteIn(root), expectedAfter(states, answers)).then((faults) => {
        running.delete(check);
        const cut = `before call ${at} (${moment.kind}), what was not synced ${fate}`;
        if (faults.length > 0) {
          onFault(`power cut ${cut}: ${faults.join('; ')}`);
          faulty += 1;
        }
        rmSync(root, { recursive: true, force: true });
      });
      running.add(check);
      if (running.size >= workers) await Promise.race(running);
    }
    replay.follow(moment);
    if (moment.isAnswer) answers += 1;
  }
  await Promise.all(running);
  if (answers !== states.length - 1) onFault(`${answers} answers of ${states.length - 1} requests`);
  return { calls: moments.length, images: [...points.values()].flat().length, answers, faulty };
}

async function recordScript(directory: string, script: readonly Step[]) {
  const site = siteIn(join(directory, 'recorded'));
  await makeObjectStore(site);
  const disk = new SimulatedDisk(site.root);
  const record = join(directory, 'calls.txt');
  const daemon = await start(site, recorder(record));
  for (const step of script) await step.run(daemon, site);
  await daemon.end();
  await untilRecorded(record, daemon.child.pid);
  const answered = script.filter(({ isAnswered }) => isAnswered).map(({ after }) => after);
  return {
    /** As it was before the daemon's first start. */
    disk,
    moments: readMoments(record, site.root),
    /** After so many answers. */
    states: [nothing, ...answered],
  };
}

function expectedAfter(states: readonly State[], answers: number): Expected {
  const answered = states[answers] ?? nothing;
  const perhaps = states[answers + 1] ?? answered;
  return { answered, perhaps, before: states.slice(0, answers + 2) };
}

/**
 * Spreads the images: right after each answer, before the first calls of each kind, and anywhere; each with another fate
 * of what was not synced, those first that are hard.
 */
function choosePoints(moments: readonly Moment[], images: number, random: Random) {
  const points = new Map<number, Fate[]>();
  let count = 0;
  const add = (at: number, fate: Fate): void => {
    const there = points.get(at) ?? [];
    if (count === images || there.includes(fate) || moments[at] === undefined) return;
    points.set(at, [...there, fate]);
    count += 1;
  };
  for (const [at, { isAnswer }] of moments.entries()) if (isAnswer) add(at + 1, 'dropped');
  const changing = moments.flatMap(({ call }, at) => (changesDisk.test(call.name) ? [at] : []));
  const kinds = new Map(changing.map((at) => [moments[at]?.kind, at]));
  for (const at of kinds.values()) add(at, random.pick(fates));
  while (count < images) add(random.pick(changing), random.pick(fates));
  return points;
}

const changesDisk =
  /^(?:p?writev?|pwrite64|f?truncate|f(?:data)?sync|rename|link|unlink|mkdir|rmdir)/u;
