import { finalExitCodes, type ServiceProgram } from '../service-program.ts';
import { commandLine, refuseVariables } from './command-line.ts';

/** A service of the whole machine, run by the wrapper program shawl. */
export interface WrapperService extends ServiceProgram {
  /** Absolute path of `shawl.exe`. */
  readonly wrapper: string;
  /** Where the wrapper writes what the program prints, rotated. */
  readonly logDirectory: string;
}

/** Longer than an orderly stop of the daemon takes, ms. */
const stopTimeoutMs = 15_000;

/** The account that Windows makes for a service of this name: it has no password and no rights but its own. */
export function virtualAccount({ name }: Pick<ServiceProgram, 'name'>): string {
  return `NT SERVICE\\${name}`;
}

/**
 * Renders the command line of the service (`binPath=` of `sc create`). To stop, the wrapper sends Ctrl-C, which Node.js
 * sees as SIGINT. It starts the program again after any exit code but an orderly and the final ones.
 */
export function renderWrapperCommand(service: WrapperService): string {
  const words = [
    service.wrapper,
    'run',
    '--name',
    service.name,
    '--restart-if-not',
    [0, ...finalExitCodes].join(','),
    '--stop-timeout',
    String(stopTimeoutMs),
    '--log-dir',
    service.logDirectory,
    '--env',
    'NODE_OPTIONS=',
    '--',
    service.node,
    ...service.words,
  ];
  words.forEach(refuseVariables);
  return commandLine(words);
}
