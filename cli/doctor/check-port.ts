import { probePort } from '../program/port-probe.ts';
import type { FoundService } from '../../service-files/choose-platform.ts';
import type { SeenDaemon } from './check-daemon.ts';
import { findingsOf, type Finding } from './finding.ts';
import { portOwner, type PortOwner } from './port-owner.ts';

const area = 'port';

/** Looks at who has the port of the settings, without waking a service that waits behind it. */
export async function checkPort(
  port: number,
  daemon: SeenDaemon | undefined,
  service: FoundService | undefined,
): Promise<Finding[]> {
  const { ok, note } = findingsOf(area);
  if (daemon?.handOver.port === port) return [ok(`${port} is the daemon's`)];
  if (port === 0) return [ok('Any free one')];
  if (service?.state.heldPort === port) {
    return [ok(`${port} is held by systemd, which starts the service at the first request`)];
  }
  const owner = portOwner(port);
  if (owner.state === 'free') return [ok(`${port} is free`)];
  if (owner.state === 'taken' && owner.program === 'systemd') {
    return [note(`${port} is held by systemd, for a service that this user may not look at`)];
  }
  const finding = await describe(port, owner);
  // Where a daemon runs already, nobody needs this port.
  return [daemon === undefined ? finding : { ...finding, level: 'note' }];
}

async function describe(port: number, owner: PortOwner): Promise<Finding> {
  const { ok, problem } = findingsOf(area);
  const remedy = 'Stop that program, or choose another port: waypointd config set port NUMBER';
  const known = owner.state === 'taken' && owner.pid !== undefined ? owner : undefined;
  const who = known === undefined ? '' : `, ${known.program} (process ${known.pid})`;
  switch (await probePort(port)) {
    case 'nothing':
      return ok(`${port} is free`);
    case 'waypointd':
      return problem(
        `${port} is taken by the waypointd of another data directory or user${who}`,
        remedy,
      );
    case 'other':
      return problem(`${port} is taken by another program${who}`, remedy);
  }
}
