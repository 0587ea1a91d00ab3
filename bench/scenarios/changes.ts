import { join } from 'node:path';
import { writeTrackTree } from '../data.ts';
import { atMost } from '../report/figure.ts';
import { counted, scenario, type Readings } from '../scenario.ts';
import { seed, type Session } from '../session.ts';
import type { ServerProcess } from '../subjects/server-process.ts';
import { addBookmarks, addChanges } from '../subjects/stored-changes.ts';

const small = '/api/version';
const probeEveryMs = 2;

interface Subject {
  readonly title: string;
  readonly prepare: (session: Session, root: string) => Promise<void>;
  /** What is done; it is then taken back. */
  readonly act: (daemon: ServerProcess) => Promise<unknown>;
}

/** What taking changes back costs, and whether other requests wait for it. */
export const changes = scenario<Subject, ServerProcess>({
  name: 'changes',
  title: 'changes that are taken back',
  subjects: ({ treeFiles, sizes, isQuick }) => {
    const [files, tagged] = isQuick ? [treeFiles, 300] : [10_000, 50_000];
    return [manyFiles(files), manyTags(tagged), manyChanges(sizes.at(-1) ?? 0, isQuick)];
  },
  rounds: () => 1,
  label: ({ title }) => title,
  prepare: async (session, { prepare }) => {
    const root = session.directory();
    await prepare(session, root);
    return session.daemon(root);
  },
  run: async (session, daemon, { act }) => {
    await daemon.get('/api/clusters?zoom=3');
    const acted = await watched(session, daemon, () => act(daemon));
    const list = await daemon.get('/api/changes?limit=1', { keepBody: true });
    const [{ id }] = (JSON.parse(list.body) as { changes: [{ id: number }] }).changes;
    const undone = await watched(session, daemon, () =>
      daemon.call('POST', `/api/changes/${id}/undo`),
    );
    /** Of all pages from the first to the last. */
    const slowestMs = async (path: string): Promise<number> => {
      let [slowest, cursor] = [0, ''];
      do {
        const { totalMs, body } = await daemon.get(path + cursor, { keepBody: true });
        const { next_cursor: next } = JSON.parse(body) as { next_cursor?: number | string };
        slowest = Math.max(slowest, totalMs);
        cursor = next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`;
      } while (cursor !== '');
      return slowest;
    };
    return {
      actSlowest: acted['slowest'],
      undo: undone['wall'],
      undoSlowest: undone['slowest'],
      slowestPage: await slowestMs('/api/changes?limit=200'),
      slowestFilePage: await slowestMs('/api/imports?limit=200'),
    };
  },
  figures: ({ title }) => [
    { what: 'small GET meanwhile, slowest', unit: 'ms', of: 'actSlowest', bar: atMost(25) },
    {
      what: 'taken back, wall',
      unit: 'ms',
      of: 'undo',
      bar: title.includes('changes') ? atMost(1_000) : undefined,
    },
    {
      what: 'small GET while it is taken back, slowest',
      unit: 'ms',
      of: 'undoSlowest',
      bar: atMost(25),
    },
    { what: 'the slowest page of all changes', unit: 'ms', of: 'slowestPage', bar: atMost(20) },
    { what: 'the slowest page of all files', unit: 'ms', of: 'slowestFilePage', bar: atMost(20) },
  ],
});

async function watched(
  session: Session,
  daemon: ServerProcess,
  act: () => Promise<unknown>,
): Promise<Readings> {
  const probe = session.probe(daemon, small, probeEveryMs);
  await probe.started();
  const started = performance.now();
  await act();
  const wall = performance.now() - started;
  return { wall, slowest: (await probe.finish()).slowestMs };
}

function manyFiles(files: number): Subject {
  let directory = '';
  return {
    title: `import of ${counted(files, 'files')}`,
    async prepare(session) {
      ({ directory } = session.source(`tree ${files}`, (root) =>
        writeTrackTree(root, { seed, files, pointsEach: 5 }),
      ));
    },
    act: (daemon) => daemon.importDirectory(directory),
  };
}

function manyTags(count: number): Subject {
  return {
    title: `a tag of ${counted(count, 'bookmarks')} renamed`,
    async prepare(session, root) {
      await session.stop(await session.daemon(root));
      addBookmarks(join(root, 'data/waypoints.sqlite'), count);
    },
    act: (daemon) => daemon.call('PATCH', '/api/tags', { tag: 'old', newTag: 'new' }),
  };
}

function manyChanges(stored: number, isQuick: boolean): Subject {
  const count = isQuick ? 500 : 99_000;
  return {
    title: `${counted(count, 'changes')} in a store of ${counted(stored, 'waypoints')}`,
    async prepare(session, root) {
      await session.copyFilled(stored, root);
      addChanges(join(root, 'data/waypoints.sqlite'), count);
    },
    act: (daemon) =>
      daemon.call('POST', '/api/bookmarks', { name: 'Last', lat: 1, lon: 2, tags: ['x'] }),
  };
}
