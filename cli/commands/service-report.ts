import { exitMeaning } from '../service/exit-meaning.ts';
import { commandError, type CommandFailure } from '../service/install.ts';
import type { ServiceHost } from '../service/service-host.ts';
import type {
  ServiceChoice,
  ServiceExit,
  ServicePlatform,
  ServiceState,
} from '../service/service-platform.ts';
import { ExitError } from '../../model/exit-error.ts';
import { invocation } from '../terminal/invocation.ts';
import { forTerminal } from '../terminal/table.ts';

/** A command about this service, to be typed. */
export function serviceCommand(verb: string, { name, isSystem }: ServiceChoice): string {
  const flags = `${isSystem ? ' --system' : ''}${name === 'waypointd' ? '' : ' --objects'}`;
  return `${invocation()} service ${verb}${flags}`;
}

/** How a service has ended, for a person: the meaning, and the number in brackets. */
export function exitText(exit: ServiceExit): string {
  const { code } = exit;
  return code === undefined ? exitMeaning(exit) : `${exitMeaning(exit)} (exit code ${code})`;
}

/**
 * Makes sure that a service runs after the commands that were to start it.
 * @throws ExitError that says why it does not: its own last words where they are known.
 */
export async function confirmRunning(
  platform: ServicePlatform,
  host: ServiceHost,
  {
    state,
    failure,
  }: { readonly state: ServiceState; readonly failure?: CommandFailure | undefined },
): Promise<ServiceState> {
  if (state.condition === 'running') return state;
  const { lastExit } = state;
  if (failure !== undefined && lastExit === undefined) throw commandError(failure);
  const how = lastExit === undefined ? `it is ${state.condition}` : exitText(lastExit);
  const words = await lastWords(platform, host);
  const said = words === undefined ? '' : `\n${words}`;
  const log = `\nIts log: ${serviceCommand('logs', platform.choice)}`;
  throw new ExitError(`The service is there, but does not run: ${how}.${said}${log}`);
}

const wordsLines = 5;

/** The sentence with which the program has ended, from the last lines of its log. */
async function lastWords(
  { logs }: ServicePlatform,
  { run }: ServiceHost,
): Promise<string | undefined> {
  const { stdout } = await run(logs(wordsLines, false));
  const found = [...stdout.matchAll(/^(?:.*\s)?waypointd: (.+)$/gmu)].at(-1)?.[1];
  return found === undefined ? undefined : forTerminal(found);
}
