import { ExitError } from '../../../model/exit-error.ts';
import type { CommandFailure, CommandLine } from '../../../service-files/command-line.ts';
import type { Step } from '../../../service-files/install.ts';
import { exitMeaning } from '../../../service-files/service-exit.ts';
import type { ServiceHost } from '../../../service-files/service-host.ts';
import type {
  ServiceChoice,
  ServicePlatform,
  ServiceState,
} from '../../../service-files/service-platform.ts';
import { invocation, shellWord } from '../../terminal/invocation.ts';
import { print } from '../../terminal/output.ts';
import { forTerminal } from '../../terminal/text.ts';

/** A command about this service, to be typed. */
export function serviceCommand(verb: string, { name, isSystem }: ServiceChoice): string {
  const flags = `${isSystem ? ' --system' : ''}${name === 'waypointd' ? '' : ' --objects'}`;
  return `${invocation()} service ${verb}${flags}`;
}

/** That a service is not there, and how to have it. */
export function notInstalledSentence(title: string, choice: ServiceChoice): string {
  return `waypointd is not installed as ${title}. Install it with: ${serviceCommand('install', choice)}`;
}

/** A command as a person would type it. */
export function commandText({ program, words }: CommandLine): string {
  return [program, ...words].map(shellWord).join(' ');
}

/** Shows steps as they would be taken. */
export async function showSteps(steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if ('make' in step) await print(`make    ${step.make}`);
    else if ('remove' in step) await print(`remove  ${step.remove}`);
    else if ('run' in step) await print(`run     ${commandText(step.run)}`);
    else {
      await print(`write   ${step.write.path}`);
      await print(step.write.text.replaceAll(/^(?=.)/gmu, '        '));
    }
  }
}

/** How a service has ended, for a person: the meaning, and the number in brackets. */
export function exitText({
  code,
  meaning,
}: {
  code?: number | undefined;
  meaning: string;
}): string {
  return code === undefined ? meaning : `${meaning} (exit code ${code})`;
}

/** Says which command has failed, and its own words. */
export function commandError({ command, result }: CommandFailure): ExitError {
  const said = `${result.stderr}\n${result.stdout}`.trim().split('\n')[0] ?? '';
  return new ExitError(`This failed: ${commandText(command)}${said === '' ? '' : `\n${said}`}`);
}

/**
 * Makes sure that a service runs after the commands that were to start it.
 * @throws ExitError that says why it does not: its own last words where they are known.
 */
export async function confirmRunning(
  platform: ServicePlatform,
  host: ServiceHost,
  state: ServiceState,
  failure: CommandFailure | undefined,
): Promise<void> {
  const { condition, lastExit } = state;
  if (condition === 'running') return;
  if (failure !== undefined && lastExit === undefined) throw commandError(failure);
  const how =
    lastExit === undefined
      ? `it is ${condition}`
      : exitText({ ...lastExit, meaning: exitMeaning(lastExit) });
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
