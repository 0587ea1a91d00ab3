/**
 * A program that removes an imported file with less and less room on a small file system, and prints what it saw as JSON
 * lines. Argument: the directory where that file system is mounted.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fillUntil } from '../helpers/ballast.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { contentOf, importTree, listed } from '../helpers/imported-files.ts';
import { gpx } from '../helpers/imports.ts';

const [mount = ''] = process.argv.slice(2);
const ballast = join(mount, 'ballast');
const daemon = await startTestDaemon({ teardown: () => {} } as never, { root: mount });

const waypoints = Array.from({ length: 500 }, (_, i) => [`W${i}`, i / 10, i / 7] as const);
await importTree(daemon, { 'a.gpx': gpx(waypoints) });
const id = (await listed(daemon))[0]!.id;
for (let room = 0; room <= 240; room += 16) {
  fillUntil(ballast, room * 1_024);
  const { status } = await daemon.call('DELETE', `/api/imports/${id}`);
  rmSync(ballast);
  const isThere = existsSync(join(daemon.paths.imports, 'a.gpx'));
  const content = (await contentOf(daemon, id)).status;
  console.log(JSON.stringify({ room, status, isThere, content }));
  await daemon.call('POST', `/api/imports/${id}/restore`);
}
await daemon.close();
