import { ExitError } from '../../model/exit-error.ts';
import { launchdPlatform } from './launchd-platform.ts';
import type { ServiceHost } from './service-host.ts';
import type { ServiceChoice, ServicePlatform } from './service-platform.ts';
import { systemdPlatform } from './systemd-platform.ts';
import { windowsServicePlatform } from './windows-service-platform.ts';
import { windowsTaskPlatform } from './windows-task-platform.ts';

/**
 * The service manager of this machine for a service.
 * @param options.mustReach whether commands will be run, so that it has to be there.
 * @throws ExitError when there is none that waypointd knows, or none that can be reached.
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
    return choice.isSystem
      ? windowsServicePlatform(host, choice)
      : windowsTaskPlatform(host, choice);
  }
  throw new ExitError(
    'waypointd knows no service manager of this system. Have it run "waypointd serve"; SIGTERM stops it in order.',
  );
}
