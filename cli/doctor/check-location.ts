import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';

import { usualGpsdPort } from '../../daemon/location/open-location.ts';
import { chosenProvider } from '../../daemon/settings.ts';
import { splitCommand } from '../../model/command-words.ts';
import type { Settings } from '../../model/settings.ts';
import { findProgram } from '../terminal/access.ts';
import { findingsOf, type Finding } from './finding.ts';

const { ok, note, problem } = findingsOf('location');
const gpsdWaitMs = 1_000;
/** How the bus knows that it can start GeoClue. */
const geoclueFiles = [
  '/usr/share/dbus-1/system-services/org.freedesktop.GeoClue2.service',
  '/usr/local/share/dbus-1/system-services/org.freedesktop.GeoClue2.service',
];

/**
 * Checks the requirements of the location provider. Requests no position: a desktop would show that the location is in
 * use, and a receiver would be switched on.
 */
export async function checkLocation(settings: Settings): Promise<Finding[]> {
  switch (chosenProvider(settings)) {
    case 'off':
      return [ok('Switched off')];
    case 'static':
      return [settings.location_static === undefined ? noPlace : ok('A fixed place')];
    case 'command':
      return [checkCommand(settings.location_command)];
    case 'geoclue':
      return [checkGeoclue()];
    case 'gpsd':
      return [await checkGpsd()];
    case 'auto':
      return checkOwnProviders();
  }
}

const noPlace = problem(
  'The provider "static" has no place',
  'waypointd config set location_static "LAT,LON"',
);

async function checkOwnProviders(): Promise<Finding[]> {
  if (process.platform !== 'linux') {
    const remedy = 'A program can be one: docs/location.md has some.';
    return [note('This system has no provider of its own', remedy)];
  }
  const usable = [checkGeoclue(), await checkGpsd()].filter(({ level }) => level === 'ok');
  return usable.length > 0
    ? usable
    : [note('Neither GeoClue nor gpsd is on this machine: its location stays unknown')];
}

function checkCommand(command: string | undefined): Finding {
  const set = 'waypointd config set location_command PROGRAM';
  const program = command === undefined ? undefined : splitCommand(command)?.[0];
  if (program === undefined) return problem('The provider "command" has no program', set);
  if (findProgram(program) !== undefined) return ok('A program of yours');
  return problem('The program that tells the location is not there, or may not be run', set);
}

function checkGeoclue(): Finding {
  if (geoclueFiles.some((file) => existsSync(file))) return ok('GeoClue is installed');
  return problem(
    'GeoClue is not installed',
    'Install it (geoclue-2.0), or choose another location_provider.',
  );
}

/** A connection alone switches no receiver on: gpsd does that at the first WATCH command. */
async function checkGpsd(): Promise<Finding> {
  if (await accepts(usualGpsdPort)) return ok('gpsd answers');
  return problem(
    `gpsd does not answer at port ${usualGpsdPort}`,
    'Start gpsd, or choose another location_provider.',
  );
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(gpsdWaitMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
