import { ExitError } from '../model/exit-error.ts';
import { installedFiles } from './install.ts';
import { launchdPlatform } from './launchd/launchd-platform.ts';
import type { ServiceChoice, ServicePlatform, ServiceHost } from './service-platform.ts';
import { systemdPlatform } from './systemd/systemd-platform.ts';
import { windowsServicePlatform } from './windows/service-platform.ts';
import { windowsTaskPlatform } from './windows/task-platform.ts';

/**
 * The service manager of this machine for a service.
 * @param options.mustReach whether commands will be run, so that it has to be there.
 * @throws ExitError when waypointd knows, or can reach, no service manager here.
 */
export async function choosePlatform(
  host: ServiceHost,
  choice: ServiceChoice,
  { mustReach }: { readonly mustReach: boolean },
): Promise<ServicePlatform> {
  const { platform } = host;
  if (platform === 'linux') return systemdPlatform(host, choice, mustReach);
  if (platform === 'darwin') return launchdPlatform(host, choice);
  if (platform === 'win32') {
    return (choice.isSystem ? windowsServicePlatform : windowsTaskPlatform)(host, choice);
  }
  throw new ExitError(
    'waypointd knows no service manager of this system. Have it run "waypointd serve"; SIGTERM stops it in order.',
  );
}

export type FoundService = NonNullable<Awaited<ReturnType<typeof findService>>>;

/**
 * The daemon's service on this machine, the user's own before that of the machine; changes nothing. It is not reached when
 * its files are there, but its service manager cannot be asked from here.
 */
export async function findService(host: ServiceHost) {
  for (const isSystem of [false, true]) {
    try {
      const choice = { name: 'waypointd', isSystem } as const;
      const platform = await choosePlatform(host, choice, { mustReach: false });
      const state = await platform.readState();
      const isReached = state.isInstalled;
      if (isReached || installedFiles(platform).length > 0) return { platform, state, isReached };
    } catch (error) {
      // No service manager that we know.
      if (!(error instanceof ExitError)) throw error;
    }
  }
  return undefined;
}
