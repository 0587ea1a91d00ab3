import { win32 } from 'node:path';
import { ExitError } from '../../model/exit-error.ts';
import type { CommandLine } from '../command-line.ts';
import {
  notInstalled,
  type ServiceChoice,
  type ServiceCondition,
  type ServicePlatform,
  type ServiceSpec,
  type ServiceState,
  type ServiceHost,
} from '../service-platform.ts';
import { finalExitCodes, type ServiceProgram } from '../service-program.ts';
import { parseObject, powershell, powershellText, tailCommand } from './powershell.ts';
import { commandLine, refuseVariables } from './command-line.ts';

/** Directories of a service of the machine: its account has no profile that a person would look into. */
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
  const { root, log, runtime } = machineDirectories(host.env, choice);
  const stop = sc(['stop', name]);
  const mayStop = { ...stop, mayFail: true };
  const start = sc(['start', name], { tries: 10 });
  return {
    host,
    choice,
    title: `the Windows service ${name}`,
    machineData: root,
    ownFiles: [],
    ownDirectories: [],
    plan: (spec) => {
      const commands = [...install(host, choice, spec), mayStop, start];
      return {
        directories: [...spec.writable, log],
        files: [],
        beforeChange: [],
        activate: () => commands,
        remarks: [
          `Your own commands find it after: waypointd config set runtime_dir ${runtime}`,
          `It reads only what its account may: allow it a folder to import with: icacls FOLDER /grant "${virtualAccount(choice)}:(OI)(CI)RX"`,
        ],
      };
    },
    start: [sc(['start', name])],
    stop: [stop],
    restart: [mayStop, start],
    uninstall: { beforeFiles: [mayStop], afterFiles: [sc(['delete', name])] },
    logs: (lines, follow) =>
      tailCommand(win32.join(log, `shawl_for_${name}_rCURRENT.log`), lines, follow),
    readState: () => readServiceState(host, name),
  };
}

function sc(words: readonly string[], options: Partial<CommandLine> = {}): CommandLine {
  return { program: 'sc.exe', words, ...options };
}

/** Made if it is not there yet, then set in any case, so that a second install changes what is different. */
function install(host: ServiceHost, choice: ServiceChoice, spec: ServiceSpec): CommandLine[] {
  const { name } = choice;
  const { wrapper } = spec;
  if (wrapper === undefined) {
    throw new ExitError(
      'A service of the machine needs a wrapper program, which waypointd does not bring along: install shawl and add --wrapper C:\\path\\of\\shawl.exe',
      64,
    );
  }
  const { root, log, runtime } = machineDirectories(host.env, choice);
  const account = virtualAccount(choice);
  const command = renderWrapperCommand({ ...spec, wrapper, logDirectory: log });
  const settings = ['binPath=', command, 'start=', 'auto', 'obj=', account];
  return [
    // Administrators and the service itself only; the user who installs may read the token.
    icacls(root, ['/L', '/inheritance:r'], '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F'),
    refuseForeignFiles(root),
    sc(['create', name, ...settings], { mayFail: true }),
    sc(['config', name, ...settings]),
    sc(['description', name, spec.title]),
    icacls(root, [], `${account}:(OI)(CI)M`),
    icacls(runtime, [], `${host.user}:(OI)(CI)RX`),
  ];
}

/**
 * Fails where a directory, or what is in it and in those in it, is a link, or does not belong to the system,
 * administrators, this user and services: every user may put something into ProgramData before an install does.
 */
function refuseForeignFiles(root: string): CommandLine {
  const path = powershellText(root);
  const own = `@('S-1-5-18', 'S-1-5-32-544', [Security.Principal.WindowsIdentity]::GetCurrent().User.Value)`;
  const said = powershellText(
    ' is a link, or belongs to another user: look at it, and move it away.',
  );
  return powershell(
    `$all = @(Get-Item -Force -LiteralPath ${path} -ErrorAction Stop) + @(Get-ChildItem -Force -Recurse -Depth 1 -LiteralPath ${path} -ErrorAction Stop); foreach ($one in $all) { $owner = (Get-Acl -LiteralPath $one.FullName -ErrorAction Stop).GetOwner([Security.Principal.SecurityIdentifier]).Value; if ($one.LinkType -eq 'SymbolicLink' -or $one.LinkType -eq 'Junction' -or ($owner -notin ${own} -and $owner -notlike 'S-1-5-80-*')) { [Console]::Error.WriteLine($one.FullName + ${said}); exit 1 } }`,
  );
}

function icacls(path: string, flags: readonly string[], ...rights: readonly string[]): CommandLine {
  const grants = rights.flatMap((right) => ['/grant', right]);
  return { program: 'icacls.exe', words: [path, ...flags, ...grants] };
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
  if (found === undefined) return notInstalled;
  const { State: state, StartMode: mode, ProcessId: pid, ServiceSpecificExitCode: code } = found;
  const condition = conditions[String(state)] ?? 'stopped';
  const hasFailed = condition === 'stopped' && typeof code === 'number' && code !== 0;
  return {
    isInstalled: true,
    isEnabled: mode === 'Auto',
    condition: hasFailed ? 'failed' : condition,
    pid: typeof pid === 'number' && pid > 0 ? pid : undefined,
    lastExit: hasFailed ? { code } : undefined,
  };
}

/** Longer than an orderly stop of the daemon takes, ms. */
const stopTimeoutMs = 15_000;

/** The account that Windows makes for a service of this name: it has no password and no rights but its own. */
function virtualAccount({ name }: Pick<ServiceProgram, 'name'>): string {
  return `NT SERVICE\\${name}`;
}

/**
 * Renders the command line of the service (`binPath=` of `sc create`). To stop, the wrapper sends Ctrl-C, which Node.js
 * sees as SIGINT. It starts the program again after any exit code but an orderly and the final ones.
 * @param service with the absolute path of `shawl.exe`, and where that writes what the program prints, rotated.
 */
export function renderWrapperCommand(
  service: ServiceProgram & { readonly wrapper: string; readonly logDirectory: string },
): string {
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
