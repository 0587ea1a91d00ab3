import { exitMeaning } from '../../service-files/service-exit.ts';
import type { FoundService } from '../../service-files/choose-platform.ts';
import { findingsOf, type Finding } from './finding.ts';

const seeLog = 'See its log: waypointd service logs';

/** Reports the state of the daemon's service. */
export function checkService(found: FoundService | undefined): Finding[] {
  const { ok, note, warning, problem } = findingsOf('service');
  if (found === undefined) {
    return [note('Not installed; "waypointd service install" has the daemon start by itself')];
  }
  const { platform, state, isReached } = found;
  const { title } = platform;
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
