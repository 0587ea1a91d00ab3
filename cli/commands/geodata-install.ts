import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  geodataStatusSchema,
  installAnswerSchema,
  installCancelSchema,
  type GeodataStatus,
  type InstallErrorCode,
  type InstallStatus,
} from '../../model/geodata.ts';
import type { ApiClient } from '../../client/waypoints/node/api-client.ts';
import { RequestFailure } from '../../client/waypoints/request-failure.ts';
import { ExitError } from '../../model/exit-error.ts';
import { note, print, printJson } from '../terminal/output.ts';

/** Most installs take less than a second; for the others twice a second is often enough. */
const firstPauseMs = 20;
const longestPauseMs = 500;

/** Why an install failed, for a person. */
export const installFailures: Readonly<Record<InstallErrorCode, string>> = {
  offline: 'it is not on this machine, and could not be fetched',
  not_found: 'it could not be found',
  unauthorized: 'it may not be fetched',
  rate_limited: 'it may be fetched later only: too many have asked',
  mismatch: 'what is there is not what it should be',
  disk_full: 'the disk is full',
  unsupported_schema: 'it is of a format that this waypointd does not know',
  stalled: 'nothing more came',
  io: 'it could not be read or written',
};

/** One install of a command: begun, watched, and cancelled when its user interrupts it. */
export class InstallRun {
  stoppedBy: NodeJS.Signals | undefined;

  /**
   * @param watch told how far it is, some times a second
   * @returns whether it was in use already; undefined when it was stopped.
   * @throws ExitError when it is not in use now.
   */
  async install(
    client: ApiClient,
    id: string,
    watch: (status: InstallStatus) => void = () => undefined,
  ): Promise<'installed' | 'already' | undefined> {
    const body = { generation_id: id };
    const input = { body, timeoutMs: 0 };
    const { status } = await client
      .ask(installAnswerSchema, 'POST', '/api/geodata/install', input)
      .catch((error: unknown) => {
        throw explain(error);
      });
    if (status === 'installed') return 'already';
    if (this.stoppedBy !== undefined) this.#cancel(client);
    const { state, error } = await untilOver(client, watch);
    if (state === 'installed') return 'installed';
    if (this.stoppedBy !== undefined) return undefined;
    if (error === undefined) throw new ExitError('This install was cancelled from elsewhere.');
    throw new ExitError(`${id} was not installed: ${installFailures[error]}.`);
  }

  stop(client: ApiClient, signal: NodeJS.Signals): void {
    this.stoppedBy = signal;
    note('Stopping …');
    this.#cancel(client);
  }

  /** Tells of the end, and lets the command end as its user has stopped it. */
  async tell(
    id: string,
    how: 'installed' | 'already' | undefined,
    status: GeodataStatus,
    isJson: boolean,
  ): Promise<void> {
    if (this.stoppedBy !== undefined && how === undefined) {
      note('Stopped. The generation in use is the one from before.');
      process.exitCode = 128 + constants.signals[this.stoppedBy];
      return;
    }
    if (isJson) return printJson(status);
    const was = how === 'already' ? 'was in use already' : 'is in use now';
    await print(`${id} ${was}.`);
  }

  #cancel(client: ApiClient): void {
    // That it is over, or as good as, is all that can be wrong here.
    client.ask(installCancelSchema, 'DELETE', '/api/geodata/install').catch(() => undefined);
  }
}

/** Waits for the end of an install. */
export async function untilOver(
  client: ApiClient,
  watch: (status: InstallStatus) => void,
): Promise<InstallStatus> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const { install } = await client.ask(geodataStatusSchema, 'GET', '/api/geodata');
    if (install.state !== 'installing') return install;
    watch(install);
    await delay(pauseMs);
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof RequestFailure)) return error;
  if (error.status === 409) {
    return new ExitError('Another generation is being installed. Try again when that is over.');
  }
  if (error.status === 404) {
    return new ExitError(
      'The daemon knows no such generation. If it is of an older version, restart it.',
    );
  }
  return error;
}
