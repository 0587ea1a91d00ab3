import { ExitError } from '../model/exit-error.ts';
import { installedFiles } from './install.ts';
import { launchdPlatform } from './launchd/launchd-platform.ts';
import type {
  ServiceChoice,
  ServicePlatform,
  ServiceState,
  ServiceHost,
} from './service-platform.ts';
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

export interface FoundService {
  readonly platform: ServicePlatform;
  readonly state: ServiceState;
  /** False when its files are there, but its service manager cannot be asked from here. */
  readonly isReached: boolean;
}

/** The daemon's service on this machine, the user's own before that of the machine; changes nothing. */
export async function findService(host: ServiceHost): Promise<FoundService | undefined> {
  for (const isSystem of [false, true]) {
    try {
      const choice = { name: 'waypointd', isSystem } as const;
      const platform = await choosePlatform(host, choice, { mustReach: false });
      const state = await platform.readState();
      if (state.isInstalled) return { platform, state, isReached: true };
      if (installedFiles(platform).length > 0) return { platform, state, isReached: false };
    } catch (error) {
      // No service manager that we know.
      if (!(error instanceof ExitError)) throw error;
    }
  }
  return undefined;
}
