import { ExitError } from '../../model/exit-error.ts';
import { choosePlatform } from './choose-platform.ts';
import { installedFiles } from './service-files.ts';
import { thisHost } from './service-host.ts';
import type { ServicePlatform, ServiceState } from './service-platform.ts';

export interface FoundService {
  readonly platform: ServicePlatform;
  readonly state: ServiceState;
  /** False when its files are there, but its service manager cannot be asked from here. */
  readonly isReached: boolean;
}

/** The daemon's service on this machine, the user's own before that of the machine; changes nothing. */
export async function findService(): Promise<FoundService | undefined> {
  const host = thisHost();
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
