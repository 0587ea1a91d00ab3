import { statSync } from 'node:fs';
import { portOwner } from '../../daemon/port-owner.ts';
import { installedNode } from '../../service-files/install.ts';
import { exitMeaning } from '../../service-files/service-exit.ts';
import type { FoundService } from '../../service-files/choose-platform.ts';
import { findPortFault } from '../program/port-probe.ts';
import type { SeenDaemon } from './check-daemon.ts';
import { findingsOf, type Finding } from './finding.ts';

const seeLog = 'See its log: waypointd service logs';

export function checkService(found: FoundService | undefined): Finding[] {
  const { ok, note, warning, problem } = findingsOf('service');
  if (found === undefined) {
    return [note('Not installed; "waypointd service install" has the daemon start by itself')];
  }
  const { platform, state, isReached } = found;
  const { title } = platform;
  const node = installedNode(platform);
  if (node !== undefined && isGone(node)) {
    const text = `${title} runs ${node}, which is not there any more`;
    return [problem(text, 'Install the service again: waypointd service install')];
  }
  if (!isReached) return [note(`${title} is installed, but cannot be asked from here`)];
  const { condition, lastExit, restarts = 0 } = state;
  if (condition === 'failed') {
    const how = lastExit === undefined ? '' : `: ${exitMeaning(lastExit)}`;
    return [problem(`${title} has failed${how}`, seeLog)];
  }
  const again = `${title} was started again ${restarts} times after a failure`;
  const byHand = note(`${title} does not start by itself`, 'waypointd service install');
  const findings = [
    ...(restarts > 0 ? [warning(again, seeLog)] : []),
    ...(state.isEnabled ? [] : [byHand]),
  ];
  return findings.length > 0 ? findings : [ok(`${title}: ${condition}`)];
}

function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // This user may not look there.
    return false;
  }
}

/** Looks at the port of the settings, without waking a service that waits behind it. */
export async function checkPort(
  port: number,
  daemon: SeenDaemon | undefined,
  service: FoundService | undefined,
): Promise<Finding[]> {
  const { ok, note, fault } = findingsOf('port');
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
