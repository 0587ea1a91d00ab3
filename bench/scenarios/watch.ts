import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { statusSchema } from '../../model/status.ts';
import { atMost } from '../report/figure.ts';
import { counted, difference, scenario } from '../scenario.ts';

const filesPerFolder = 100;

/** What it costs to watch folders in which nothing happens. */
export const watchIdle = scenario<number, string>({
  name: 'watch',
  title: 'watched folders in which nothing happens',
  subjects: ({ isQuick }) => [isQuick ? 200 : 10_000],
  rounds: () => 1,
  label: (files) => `${counted(files, 'files')} in ${counted(files / filesPerFolder, 'folders')}`,
  prepare: (session, files) => Promise.resolve(writeFolders(session.directory(), files)),
  run: async (session, root, files) => {
    const daemon = await session.daemon(root);
    for (;;) {
      const { body } = await daemon.get('/api/status', { keepBody: true });
      const [folder] = statusSchema.parse(JSON.parse(body)).watch ?? [];
      if (folder?.imported === files && folder.waiting === 0) break;
      await wait(500);
    }
    const { idleMs } = session.plan;
    // Until the worker has ended, and V8 has tidied up.
    await wait(idleMs * 13);
    const before = daemon.cpuMs();
    await wait(idleMs * 4);
    const idle = difference(daemon.cpuMs(), before);
    await session.stop(daemon);
    return { idle };
  },
  figures: () => [
    // A look at the folder every five seconds, within what the kernel's clock can tell.
    { what: 'CPU in 20 s', unit: 'ms', of: 'idle', bar: atMost(40) },
  ],
});

/** Where a daemon may be started that watches so many files. */
function writeFolders(root: string, files: number): string {
  const watched = join(root, 'watched');
  for (let file = 0; file < files; file += 1) {
    const folder = join(watched, String(Math.floor(file / filesPerFolder)));
    mkdirSync(folder, { recursive: true });
    const point = `<trkpt lat="1" lon="2"><time>${new Date(file * 1e6).toISOString()}</time></trkpt>`;
    writeFileSync(join(folder, `${file}.gpx`), `<gpx><trk><trkseg>${point}</trkseg></trk></gpx>`);
  }
  const config = join(root, '.config', 'waypointd', 'config.json');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, JSON.stringify({ watch_dirs: [watched] }));
  return root;
}
