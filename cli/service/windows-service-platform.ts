import { win32 } from 'node:path';
import {
  renderWrapperCommand,
  virtualAccount,
} from '../../service-files/windows/wrapper-service.ts';
import { ExitError } from '../../model/exit-error.ts';
import type { CommandLine } from './command-line.ts';
import type { ServiceHost } from './service-host.ts';
import {
  serviceTitles,
  type ServiceChoice,
  type ServiceCondition,
  type ServicePlatform,
  type ServiceState,
  type ServiceWish,
} from './service-platform.ts';
import { parseObject, powershell, powershellText, tailCommand } from './powershell.ts';

/** Directories of a service of the machine: its account has no profile that anybody would look into. */
export function machineDirectories(env: NodeJS.ProcessEnv, { name }: ServiceChoice) {
  const root = win32.join(env['ProgramData'] ?? String.raw`C:\ProgramData`, name);
  return {
    root,
    data: win32.join(root, 'Data'),
    cache: win32.join(root, 'Cache'),
    runtime: win32.join(root, 'Run'),
    log: win32.join(root, 'Log'),
  };
}

/**
 * A service of the machine, in a wrapper program that speaks the protocol of Windows services. It runs under the
 * account that Windows makes for it, never as LocalSystem: that may do anything on the machine.
 */
export function windowsServicePlatform(host: ServiceHost, choice: ServiceChoice): ServicePlatform {
  const { name } = choice;
  const { root, log } = machineDirectories(host.env, choice);
  const stop = sc(['stop', name]);
  const start = sc(['start', name], { tries: 10 });
  return {
    choice,
    title: `the Windows service ${name}`,
    machineData: root,
    ownFiles: [],
    ownDirectories: [],
    plan: (wish) => {
      const commands = install(host, choice, wish, start);
      return {
        directories: [...wish.writable, log],
        files: [],
        beforeChange: [],
        activate: () => commands,
        remarks: [
          `Your own commands find it after: waypointd config set runtime_dir ${win32.join(root, 'Run')}`,
          `It reads only what its account may: allow it a folder to import with: icacls FOLDER /grant "${virtualAccount(choice)}:(OI)(CI)RX"`,
        ],
      };
    },
    start: [sc(['start', name])],
    stop: [stop],
    restart: [{ ...stop, mayFail: true }, start],
    uninstall: { beforeFiles: [{ ...stop, mayFail: true }], afterFiles: [sc(['delete', name])] },
    logs: (lines, follow) =>
      tailCommand(win32.join(log, `shawl_for_${name}_rCURRENT.log`), lines, follow),
    readState: () => readServiceState(host, name),
  };
}

function sc(words: readonly string[], options: Partial<CommandLine> = {}): CommandLine {
  return { program: 'sc.exe', words, ...options };
}

/** Made if it is not there yet, then set in any case, so that a second install changes what is different. */
function install(
  host: ServiceHost,
  choice: ServiceChoice,
  wish: ServiceWish,
  start: CommandLine,
): CommandLine[] {
  if (wish.wrapper === undefined) {
    throw new ExitError(
      'A service of the machine needs a wrapper program, which waypointd does not bring along: install shawl and add --wrapper C:\\path\\of\\shawl.exe',
      64,
    );
  }
  const { name } = choice;
  const { root, log, runtime } = machineDirectories(host.env, choice);
  const account = virtualAccount(choice);
  const command = renderWrapperCommand({
    name,
    title: serviceTitles[name],
    node: wish.node,
    words: [wish.launcher, ...wish.words],
    wrapper: wish.wrapper,
    logDirectory: log,
  });
  const settings = ['binPath=', command, 'start=', 'auto', 'obj=', account];
  return [
    sc(['create', name, ...settings], { mayFail: true }),
    sc(['config', name, ...settings]),
    sc(['description', name, serviceTitles[name]]),
    // Administrators and the service itself, nobody else; whoever installs may read the token.
    icacls(root, '/inheritance:r', [
      '*S-1-5-18:(OI)(CI)F',
      '*S-1-5-32-544:(OI)(CI)F',
      `${account}:(OI)(CI)M`,
    ]),
    icacls(runtime, undefined, [`${host.user}:(OI)(CI)RX`]),
    sc(['stop', name], { mayFail: true }),
    start,
  ];
}

function icacls(directory: string, option: string | undefined, grants: readonly string[]) {
  const words = [directory, ...(option === undefined ? [] : [option])];
  for (const grant of grants) words.push('/grant', grant);
  return { program: 'icacls.exe', words };
}

const conditions: Readonly<Record<string, ServiceCondition>> = {
  Running: 'running',
  'Start Pending': 'starting',
  'Stop Pending': 'stopping',
};

async function readServiceState({ run }: ServiceHost, name: string): Promise<ServiceState> {
  const filter = powershellText(`Name='${name}'`);
  const script = `Get-CimInstance Win32_Service -Filter ${filter} | Select-Object State, StartMode, ProcessId, ServiceSpecificExitCode | ConvertTo-Json -Compress`;
  const { stdout } = await run(powershell(script));
  const found = parseObject(stdout);
  if (found === undefined) return { isInstalled: false, isEnabled: false, condition: 'stopped' };
  const { State: state, StartMode: mode, ProcessId: pid, ServiceSpecificExitCode: code } = found;
  const condition = conditions[String(state)] ?? 'stopped';
  const hasFailed = condition === 'stopped' && typeof code === 'number' && code !== 0;
  return {
    isInstalled: true,
    isEnabled: mode === 'Auto',
    condition: hasFailed ? 'failed' : condition,
    ...(typeof pid === 'number' && pid > 0 ? { pid } : {}),
    ...(hasFailed ? { lastExit: { code } } : {}),
  };
}
