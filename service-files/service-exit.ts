import type { ServiceExit } from './service-platform.ts';

const meanings: Readonly<Record<number, string>> = {
  0: 'it stopped in order',
  1: 'it failed; the log says why',
  64: 'the service calls it in a way it does not understand: install the service again',
  65: 'its data was written by a newer waypointd',
  69: 'there is no Node.js 24 that can run it: install the service again',
  74: 'its data cannot be read; the log says what to do',
  75: 'another waypointd or another program has its port or its data; the log says which',
  78: 'a setting or directory cannot be used; the log says which',
  200: 'systemd could not enter its directory',
  203: 'its program is not there any more: install the service again',
  217: 'systemd could not set up its user',
  218: 'systemd could not take its capabilities away',
  226: 'systemd could not set up its view of the files; is its data directory there?',
};

/** systemd.exec(5): EXIT_USER, EXIT_CAPABILITIES, EXIT_NAMESPACE, where a sandbox cannot be had. */
const sandboxExitCodes: readonly (number | undefined)[] = [217, 218, 226];

/** Whether a service could not be started because its sandbox cannot be had here. */
export function isSandboxFailure(exit: ServiceExit | undefined): boolean {
  return exit !== undefined && sandboxExitCodes.includes(exit.code);
}

export function exitMeaning({ code, signal, wasHung }: ServiceExit): string {
  if (wasHung === true) return 'it gave no sign of life and was ended';
  if (signal !== undefined) return `it was ended by signal ${signal}`;
  if (code === undefined) return 'nobody knows how it ended';
  return meanings[code] ?? `it ended with exit code ${code}`;
}
