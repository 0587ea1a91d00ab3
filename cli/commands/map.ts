import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { accessTo } from '../../client/waypoints/node/transport.ts';
import { requirePrivateDirectory } from '../../daemon/paths.ts';
import { packageRoot } from '../../daemon/version-info.ts';
import type { MapServer, MapServerOptions } from '../../map/server/server.ts';
import { errorCode } from '../../model/error-code.ts';
import { ExitError } from '../../model/exit-error.ts';
import { systemClock } from '../../model/process.ts';
import { defineCommand } from '../program/command.ts';
import { findDaemon, startOwnDaemon } from '../program/connection.ts';
import type { CommandContext } from '../program/context.ts';
import { watchForEnd } from '../terminal/interrupts.ts';
import { invocation } from '../terminal/invocation.ts';
import { note, print } from '../terminal/output.ts';
import { basemap } from './map/basemap.ts';
import { openInBrowser } from './map/browser.ts';

/** How often it is asked whether any page is left, ms. */
const lookMs = 5_000;
/** Time for running requests to finish when the map ends, ms. */
const graceMs = 1_000;

export const command = defineCommand({
  name: 'map',
  summary: 'show everything on a map, in your browser',
  description:
    'Opens a page in your browser that shows tracks, stays and waypoints on a map that needs no network. It ends with Ctrl-C, and ten minutes after its last page was closed.',
  options: { '--no-open': 'print an address instead, good for one minute and one page' },
  notes: `Settings:
  --port <value>              its own port on 127.0.0.1, instead of any free one
  --basemap <value>           a street map of your own, a .pmtiles file`,
  commands: [basemap],
  run: ({ context, options }) => showMap(context, options.open),
});

async function showMap(context: CommandContext, opensBrowser: boolean): Promise<void> {
  const pageDirectory = findPage();
  using end = watchForEnd();
  const own = (await findDaemon(context)) === undefined ? await startHere(context) : undefined;
  const { openLog } = await import('../../daemon/log.ts');
  const log = await openLog({ level: 'error' });
  try {
    const map = await start(context, { pageDirectory, log });
    try {
      const stopShowing = await show(map, context, opensBrowser);
      while (!map.isUnused() && !end.signal.aborted) {
        await Promise.race([end.asked, delay(lookMs, undefined, { ref: false })]);
      }
      await stopShowing();
    } finally {
      await map.close(graceMs);
    }
  } finally {
    await own?.close();
    await log.close();
  }
}

/** @throws ExitError in a clone where the page was not built. */
function findPage(): string {
  const directory = join(packageRoot(), 'dist', 'map');
  if (existsSync(join(directory, 'index.html.gz'))) return directory;
  throw new ExitError('The page of the map is not built yet: run "npm run build" in the clone.');
}

/** A daemon in this process, for as long as the map is there; other commands find it. */
async function startHere(context: CommandContext) {
  const own = await startOwnDaemon(context, { level: 'error', isFound: true });
  note('No daemon is running: this command runs one until it ends.');
  return own;
}

async function start(
  context: CommandContext,
  options: Pick<MapServerOptions, 'pageDirectory' | 'log'>,
): Promise<MapServer> {
  const { startMapServer } = await import('../../map/server/server.ts');
  const { resolved } = context;
  const port = resolved.sources.port === 'flag' ? resolved.settings.port : 0;
  try {
    return await startMapServer({
      ...options,
      port,
      basemap: resolved.settings.basemap,
      clock: systemClock,
      async findDaemon() {
        const daemon = await findDaemon(context);
        return daemon && accessTo(daemon.handOver);
      },
    });
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE' && errorCode(error) !== 'EACCES') throw error;
    throw new ExitError(`Port ${port} cannot be had; without --port the map takes a free one.`, 75);
  }
}

/** Opens a window, and another one each time that Enter is pressed. @returns what stops that, and tidies up */
async function show(
  map: MapServer,
  { paths }: CommandContext,
  opensBrowser: boolean,
): Promise<() => Promise<void>> {
  const files = new Set<() => Promise<void>>();
  async function openWindow(): Promise<void> {
    if (!opensBrowser) return print(map.newAddress());
    requirePrivateDirectory(paths.runtime, '--runtime-dir');
    let remove: (() => Promise<void>) | undefined;
    const address = map.newAddress(() => void remove?.());
    remove = await openInBrowser(address, paths.runtime);
    files.add(remove);
  }
  await openWindow();
  const { stdin } = process;
  const another = stdin.isTTY ? 'Enter for another window, ' : '';
  if (opensBrowser) {
    note(`The map opens in your browser; if it does not: ${invocation()} map --no-open`);
  }
  note(`${another}Ctrl-C ends it, and so do ten minutes without a page.`);
  const onEnter = (): void =>
    void openWindow().catch(() => note('No other window could be opened.'));
  if (stdin.isTTY) stdin.on('data', onEnter);
  return async () => {
    stdin.off('data', onEnter).pause();
    await Promise.all([...files].map((remove) => remove()));
  };
}
