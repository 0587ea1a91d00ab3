import { probePort } from '../program/port-probe.ts';
import type { FoundService } from '../../service-files/choose-platform.ts';
import type { SeenDaemon } from './check-daemon.ts';
import { portFault } from '../../daemon/faults.ts';
import { portOwner, type PortOwner } from '../../daemon/port-owner.ts';
import { findingsOf, type Finding } from './finding.ts';

const { ok, note, fault } = findingsOf('port');

/** Looks at who has the port of the settings, without waking a service that waits behind it. */
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
  if (owner.state === 'free') return [ok(`${port} is free`)];
  if (owner.program === 'systemd') {
    return [note(`${port} is held by systemd, for a service that this user may not look at`)];
  }
  const finding = await describe(port, owner);
  // Where a daemon runs already, nobody needs this port.
  return [daemon === undefined ? finding : { ...finding, level: 'note' }];
}

async function describe(port: number, owner: PortOwner): Promise<Finding> {
  if (owner.state === 'connection') return fault(portFault(port, 'connection'));
  const use = await probePort(port);
  if (use === 'nothing') return ok(`${port} is free`);
  return fault(portFault(port, use === 'waypointd' ? use : 'program', owner));
}
