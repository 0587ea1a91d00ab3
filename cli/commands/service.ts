import { legacyCommand } from '../program/command.ts';
import { Option, type Command } from 'commander';
import { ExitError, usageError } from '../../model/exit-error.ts';
import { choosePlatform } from '../../service-files/choose-platform.ts';
import { runCommands, runHere } from '../../service-files/command-line.ts';
import { uninstallSteps } from '../../service-files/install-steps.ts';
import { uninstallService, untilSettled } from '../../service-files/install.ts';
import type { ServiceHost } from '../../service-files/service-host.ts';
import type { ServiceChoice, ServicePlatform } from '../../service-files/service-platform.ts';
import { commandContext } from '../program/context.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { installCommand } from './service/install.ts';
import { localHost } from './service/local-service.ts';
import { readServiceStatus, showStatus, statusJson } from './service/status.ts';
import {
  commandError,
  confirmRunning,
  notInstalledSentence,
  showSteps,
} from './service/wording.ts';

interface ChoiceOptions {
  readonly system?: boolean;
}

interface DryRunOption extends ChoiceOptions {
  readonly dryRun?: boolean;
}

/** `waypointd service …` */
function registerService(program: Command): void {
  const service = program
    .command('service')
    .summary('have the daemon start by itself, and stop, watch and remove it')
    .description(
      'Has the service manager of this system run the daemon: systemd on Linux, launchd on macOS, the\ntask scheduler on Windows. It starts by itself and is started again after a crash.',
    );
  registerInstall(service);
  registerUninstall(service);
  registerStatus(service);
  for (const verb of ['start', 'stop', 'restart'] as const) registerVerb(service, verb);
  registerLogs(service);
}

function addChoice(command: Command): Command {
  return command
    .option('--system', 'the service of the whole machine instead of your own')
    .option('--objects', 'the object server instead of the daemon');
}

/** `--objects` is a setting as well, so commander keeps it with the program, wherever it stands. */
function choiceOf({ system }: ChoiceOptions, command: Command): ServiceChoice {
  const objects: unknown = command.optsWithGlobals()['objects'];
  const isObjects = objects === true || objects === 'true';
  return { name: isObjects ? 'waypointd-objects' : 'waypointd', isSystem: system === true };
}

interface InstallFlags extends DryRunOption {
  readonly network: boolean;
  readonly wrapper?: string;
}

function registerInstall(service: Command): void {
  addChoice(service.command('install'))
    .summary('install and start the service')
    .description(
      'Installs the service and starts it; run it again after you have moved waypointd or changed its\ndirectories. The service uses the directories, port and configuration file of this call.',
    )
    .option('--no-network', 'systemd: cut it off from the network, its own port excepted')
    .addOption(new Option('--wrapper <file>', 'Windows, with --system: the path of shawl.exe'))
    .option('--dry-run', 'only print what would be written and run')
    .action(async (flags: InstallFlags, command: Command) =>
      installCommand(commandContext(command), choiceOf(flags, command), {
        dryRun: flags.dryRun === true,
        hasNetwork: flags.network,
        wrapper: flags.wrapper,
      }),
    );
}

function registerUninstall(service: Command): void {
  addChoice(service.command('uninstall'))
    .summary('stop and remove the service; your data stays')
    .description(
      'Stops the service and removes what install has written. Your data and settings stay.',
    )
    .option('--dry-run', 'only print what would be removed and run')
    .action(async (flags: DryRunOption, command: Command) => {
      const { host, platform } = await open(flags, command);
      const steps = uninstallSteps(platform);
      if (flags.dryRun === true) return showSteps(steps);
      const isThere =
        steps.some((step) => 'remove' in step) ||
        (platform.ownFiles.length === 0 && (await isInstalled(platform)));
      if (!isThere) {
        note(`waypointd was not installed as ${platform.title}; nothing was removed.`);
        return;
      }
      const { failure } = await uninstallService(platform, host);
      if (failure !== undefined) throw commandError(failure);
      await print(`Removed ${platform.title}.`);
      const data = platform.machineData ?? commandContext(command).paths.data;
      await print(`The data stays in ${data}`);
    });
}

async function isInstalled({ readState }: ServicePlatform): Promise<boolean> {
  return (await readState()).isInstalled;
}

function registerStatus(service: Command): void {
  addChoice(service.command('status'))
    .summary('tell whether it runs, since when, and what became of it')
    .description('Tells how the service is. The exit code is 1 unless it runs.')
    .option('--json', 'print JSON')
    .action(async (flags: ChoiceOptions & { readonly json?: boolean }, command: Command) => {
      const { host, platform } = await open(flags, command);
      const status = await readServiceStatus(platform, host, commandContext(command));
      if (status.state.condition !== 'running') process.exitCode = 1;
      await (flags.json === true ? printJson(statusJson(status)) : showStatus(status, host));
    });
}

const verbs = {
  start: { summary: 'start it', done: 'runs' },
  stop: { summary: 'stop it until the next start or login', done: 'has stopped' },
  restart: { summary: 'stop it and start it again', done: 'runs' },
} as const;

function registerVerb(service: Command, verb: keyof typeof verbs): void {
  const { summary, done } = verbs[verb];
  addChoice(service.command(verb))
    .summary(summary)
    .option('--dry-run', 'only print what would be run')
    .action(async (flags: DryRunOption, command: Command) => {
      const { host, platform } = await open(flags, command);
      const commands = platform[verb];
      if (flags.dryRun === true) return showSteps(commands.map((run) => ({ run })));
      if (!(await isInstalled(platform))) throw new ExitError(notInstalledSentence(platform));
      const failure = await runCommands(commands, host.run);
      if (verb !== 'stop') {
        await confirmRunning(platform, host, await untilSettled(platform), failure);
      } else if (failure !== undefined) {
        // Managers differ in what they say to one that does not run anyway: how it is afterwards counts.
        const { condition } = await platform.readState();
        if (condition === 'running') throw commandError(failure);
      }
      const { title } = platform;
      await print(`${title.charAt(0).toUpperCase()}${title.slice(1)} ${done}.`);
    });
}

interface LogsFlags extends ChoiceOptions {
  readonly follow?: boolean;
  readonly lines: string;
}

function registerLogs(service: Command): void {
  addChoice(service.command('logs'))
    .summary('print its log')
    .option('-f, --follow', 'go on printing what is added')
    .option('-n, --lines <number>', 'how many of the last lines', '50')
    .action(async (flags: LogsFlags, command: Command) => {
      if (!/^\d{1,6}$/u.test(flags.lines)) throw usageError('--lines is a whole number.');
      const { host, platform } = await open(flags, command);
      const tail = platform.logs(Number(flags.lines), flags.follow === true);
      const code = await runHere(tail, host.env);
      if (code === undefined) throw new ExitError(`${tail.program} is not here, or was stopped.`);
      process.exitCode = code;
    });
}

async function open(
  flags: DryRunOption,
  command: Command,
): Promise<{ readonly host: ServiceHost; readonly platform: ServicePlatform }> {
  const host = localHost();
  const mustReach = flags.dryRun !== true;
  return { host, platform: await choosePlatform(host, choiceOf(flags, command), { mustReach }) };
}

export const command = legacyCommand('service', registerService);
