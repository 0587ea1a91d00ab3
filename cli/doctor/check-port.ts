import { portOwner } from '../../daemon/port-owner.ts';
import type { FoundService } from '../../service-files/choose-platform.ts';
import { findPortFault } from '../program/port-probe.ts';
import type { SeenDaemon } from './check-daemon.ts';
import { findingsOf, type Finding } from './finding.ts';

const { ok, note, fault } = findingsOf('port');

/** Looks at the port of the settings, without waking a service that waits behind it. */
export async function checkPort(
  port: number,
  daemon: SeenDaemon | undefined,
  service: FoundService | undefined,
): Promise<Finding[]> {
  if (daemon?.handOver.port === port) return [ok(`${port} is the daemon's`)];
  if (port === 0) return [ok('Any free one')];
  if (service?.state.heldPort === port) {
    return [ok(`${port} is held by systemd, which starts the service at the first request`)];
  }
  const owner = portOwner(port);
  if (owner.program === 'systemd') {
    return [note(`${port} is held by systemd, for a service that this user may not look at`)];
  }
  const found = await findPortFault(port, owner);
  if (found === undefined) return [ok(`${port} is free`)];
  // A running daemon does without it.
  return [daemon === undefined ? fault(found) : { ...fault(found), level: 'note' }];
}
