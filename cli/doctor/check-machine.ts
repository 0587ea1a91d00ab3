import { statSync } from 'node:fs';
import type { Paths } from '../../daemon/paths.ts';
import type { SeenDaemon } from './check-daemon.ts';
import { freeSpace } from './file-system.ts';
import { findingsOf, type Finding } from './finding.ts';

/** Below this a start, a migration or an import may fail. */
const scarceBytes = 52_428_800;
/** An import of a few years of tracks takes about as much. */
const tightBytes = 524_288_000;
const scarceFiles = 1_000;

export function checkDisk({ data, cache }: Paths): Finding[] {
  return [
    ...checkRoom('data', data),
    // Without a cache nothing is lost.
    ...checkRoom('cache', cache).map((finding) =>
      finding.level === 'problem' ? { ...finding, level: 'warning' as const } : finding,
    ),
  ];
}

function checkRoom(what: string, path: string): Finding[] {
  const { ok, warning, problem } = findingsOf('disk');
  const { bytes, files } = freeSpace(path);
  const text = `${gigabytes(bytes)} free for the ${what}`;
  if (files !== undefined && files < scarceFiles) {
    const few = `Only ${files} more files fit where the ${what} lies`;
    return [problem(few, 'Delete what is not needed there.')];
  }
  if (bytes < scarceBytes) return [problem(`Only ${text}`, 'Make room there, or move it.')];
  return [bytes < tightBytes ? warning(`Only ${text}`, 'A large import may not fit.') : ok(text)];
}

function gigabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Before this there was no waypointd: 2025-01-01. */
const earliestMs = 1_735_689_600_000;
const dayMs = 86_400_000;
/** Smaller steps are those of a time service. */
const jumpMs = 300_000;

/**
 * Tells whether the clock is plausible: bookmarks, searches and timelines are dated by it.
 * @param now ms since 1970.
 */
export function checkClock(paths: Paths, daemon: SeenDaemon | undefined, now: number): Finding[] {
  const { ok, note, problem, warning } = findingsOf('clock');
  const shown = new Date(now).toISOString();
  if (now < earliestMs) {
    return [problem(`It says ${shown}, which is long past`, 'Set the clock of this machine.')];
  }
  const written = [paths.waypointsDatabase, paths.libraryDatabase].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  if (Math.max(...written) > now + dayMs) {
    const text = `It says ${shown}, but the data was written later than that`;
    const remedy = 'The clock is behind, or was ahead: set it, or have it set by the network.';
    return [warning(text, remedy)];
  }
  const uptimeMs = (daemon?.status?.uptime_seconds ?? 0) * 1000;
  const jump = daemon?.status ? now - Date.parse(daemon.handOver.started) - uptimeMs : 0;
  if (Math.abs(jump) <= jumpMs) return [ok(shown)];
  const minutes = Math.round(Math.abs(jump) / 60_000);
  const way = jump > 0 ? 'forward' : 'back';
  return [
    note(`It was set ${way} by ${minutes} minutes since the daemon started, or the machine slept`),
  ];
}
