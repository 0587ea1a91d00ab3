import { ExitError, usageError } from '../../model/exit-error.ts';
import { choosePlatform } from '../../service-files/choose-platform.ts';
import { runCommands, runHere } from '../../service-files/command-line.ts';
import { uninstallService, uninstallSteps, untilSettled } from '../../service-files/install.ts';
import type { ServiceChoice, ServicePlatform } from '../../service-files/service-platform.ts';
import { defineCommand, type Call } from '../program/command.ts';
import { note } from '../terminal/output.ts';
import { installCommand } from './service/install.ts';
import { localHost } from '../program/local-service.ts';
import {
  commandError,
  confirmRunning,
  notInstalledSentence,
  readServiceStatus,
  statusLines,
  stepLines,
} from './service/status.ts';

const choiceOptions = {
  '--system': 'the service of the whole machine instead of your own',
  '--objects': 'the object server instead of the daemon',
} as const;

type ServiceCall = Call<unknown, { readonly system: boolean; readonly dryRun?: boolean }>;

/** `--objects` is a setting as well, and is read as one wherever it stands. */
function choiceOf({ given, options }: ServiceCall): ServiceChoice {
  const isObjects = given.flags.objects === 'true';
  return { name: isObjects ? 'waypointd-objects' : 'waypointd', isSystem: options.system };
}

function open(call: ServiceCall): Promise<ServicePlatform> {
  const mustReach = call.options.dryRun !== true;
  return choosePlatform(localHost(), choiceOf(call), { mustReach });
}

async function isInstalled({ readState }: ServicePlatform): Promise<boolean> {
  return (await readState()).isInstalled;
}

const install = defineCommand({
  name: 'install',
  summary: 'install and start the service',
  description:
    'Installs the service and starts it; run it again after you have moved waypointd or changed its directories. The service uses the directories, port and configuration file of this call.',
  options: {
    ...choiceOptions,
    '--no-network': 'systemd: cut it off from the network, its own port excepted',
    '--node <file>': 'the Node.js that runs it, 22.22 or newer',
    '--wrapper <file>': 'Windows, with --system: the path of shawl.exe',
    '--dry-run': 'only print what would be written and run',
  },
  run: (call) => installCommand(call.context, choiceOf(call), call.options),
});

const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'stop and remove the service; your data stays',
  description:
    'Stops the service and removes what install has written. Your data and settings stay.',
  options: { ...choiceOptions, '--dry-run': 'only print what would be removed and run' },
  async *run(call) {
    const platform = await open(call);
    const steps = uninstallSteps(platform);
    if (call.options.dryRun) return yield* stepLines(steps);
    const isThere =
      steps.some((step) => 'remove' in step) ||
      (platform.ownFiles.length === 0 && (await isInstalled(platform)));
    if (!isThere) {
      return note(`waypointd was not installed as ${platform.title}; nothing was removed.`);
    }
    const failure = await uninstallService(platform);
    if (failure !== undefined) throw commandError(failure);
    yield `Removed ${platform.title}.`;
    yield `The data stays in ${platform.machineData ?? call.context.paths.data}`;
  },
});

const status = defineCommand({
  name: 'status',
  summary: 'show whether it runs, since when, and how it ended',
  description: 'Shows how the service is. The exit code is 1 unless it runs.',
  options: { ...choiceOptions },
  async run(call) {
    const platform = await open(call);
    const found = await readServiceStatus(platform, call.context);
    return { platform, found };
  },
  isFailure: ({ found }) => found.state !== 'running',
  json: ({ found }) => found,
  show: ({ platform, found }) => statusLines(found, platform),
});

type Verb = 'start' | 'stop' | 'restart';

function verbCommand(verb: Verb, summary: string, done: string) {
  return defineCommand({
    name: verb,
    summary,
    options: { ...choiceOptions, '--dry-run': 'only print what would be run' },
    async *run(call) {
      const platform = await open(call);
      if (call.options.dryRun) return yield* stepLines(platform[verb].map((run) => ({ run })));
      if (!(await isInstalled(platform))) throw new ExitError(notInstalledSentence(platform));
      await order(verb, platform);
      const { title } = platform;
      yield `${title.charAt(0).toUpperCase()}${title.slice(1)} ${done}.`;
    },
  });
}

async function order(verb: Verb, platform: ServicePlatform): Promise<void> {
  const failure = await runCommands(platform[verb], platform.host.run);
  if (verb !== 'stop') return confirmRunning(platform, await untilSettled(platform), failure);
  // Managers differ in what they say to one that does not run anyway: how it is afterwards counts.
  const { condition } = await platform.readState();
  if (failure !== undefined && condition === 'running') throw commandError(failure);
}

const logs = defineCommand({
  name: 'logs',
  summary: 'print its log',
  options: {
    ...choiceOptions,
    '-f, --follow': 'go on printing what is added',
    '-n, --lines <number>': { help: 'how many of the last lines', default: '50' },
  },
  async run(call) {
    const { lines, follow } = call.options;
    if (!/^\d{1,6}$/u.test(lines)) throw usageError('--lines is a whole number.');
    const platform = await open(call);
    const tail = platform.logs(Number(lines), follow);
    const code = await runHere(tail, platform.host.env);
    if (code === undefined) throw new ExitError(`${tail.program} is not here, or was stopped.`);
    process.exitCode = code;
  },
});

export const command = defineCommand({
  name: 'service',
  summary: 'have the daemon start by itself, and stop, watch and remove it',
  description:
    'Has the service manager of this system run the daemon: systemd on Linux, launchd on macOS, the task scheduler on Windows. It starts by itself and is started again after a crash.',
  commands: [
    install,
    uninstall,
    status,
    verbCommand('start', 'start it', 'runs'),
    verbCommand('stop', 'stop it until the next start or login', 'has stopped'),
    verbCommand('restart', 'stop it and start it again', 'runs'),
    logs,
  ],
});
