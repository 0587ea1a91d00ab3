import { win32 } from 'node:path';
import type { CommandLine } from '../command-line.ts';
import {
  notInstalled,
  type ServiceChoice,
  type ServicePlatform,
  type ServiceState,
  type ServiceHost,
} from '../service-platform.ts';
import { marker } from '../service-program.ts';
import { renderLogonTask } from './logon-task.ts';
import { parseObject, powershell, powershellText, tailCommand } from './powershell.ts';

/** The logon task of this user: the way of Windows to run something without an administrator. */
export function windowsTaskPlatform(host: ServiceHost, choice: ServiceChoice): ServicePlatform {
  const { name } = choice;
  const local = host.env['LOCALAPPDATA'] ?? win32.join(host.home, 'AppData', 'Local');
  const logFile = win32.join(local, 'waypointd', 'Log', `${name}.log`);
  const definition = win32.join(local, 'waypointd', `${name}-task.xml`);
  const run = schtasks(['/Run', '/TN', name]);
  const end = schtasks(['/End', '/TN', name]);
  const enable = schtasks(['/Change', '/TN', name, '/ENABLE']);
  const mayEnd = { ...end, mayFail: true };
  return {
    host,
    choice,
    title: `your scheduled task ${name}`,
    // The scheduler keeps the task itself; the file only carries it there.
    ownFiles: [],
    ownDirectories: [],
    plan: (spec) => {
      // Windows does not keep the output of a task.
      const words = spec.hasLogFile ? spec.words : [...spec.words, '--log-file', logFile];
      const text = renderLogonTask({ ...spec, words, user: host.user });
      return {
        directories: [...spec.writable, win32.dirname(logFile)],
        files: [{ path: definition, encoding: 'utf16le', isTemporary: true, text }],
        beforeChange: [],
        activate: () => [
          refuseForeignTask(name),
          schtasks(['/Create', '/TN', name, '/XML', definition, '/F']),
          run,
        ],
        remarks: [
          'To stop, Windows ends it at once. Nothing that was saved is lost by that, but an import under way has to be run again.',
        ],
      };
    },
    start: [enable, run],
    // Left enabled it would be started again within five minutes.
    stop: [schtasks(['/Change', '/TN', name, '/DISABLE']), end],
    restart: [enable, mayEnd, run],
    uninstall: {
      beforeFiles: [refuseForeignTask(name), mayEnd],
      afterFiles: [schtasks(['/Delete', '/TN', name, '/F'])],
    },
    logs: (lines, follow) => tailCommand(logFile, lines, follow),
    readState: () => readTaskState(host, name),
  };
}

function schtasks(words: readonly string[]): CommandLine {
  return { program: 'schtasks.exe', words };
}

/** Fails when there is a task of this name that `service install` has not made. */
function refuseForeignTask(name: string): CommandLine {
  return powershell(
    `$t = Get-ScheduledTask -TaskPath '\\' -TaskName ${powershellText(name)} -ErrorAction SilentlyContinue; if ($t -and $t.Description -notlike ${powershellText(`*${marker}*`)}) { [Console]::Error.WriteLine('The scheduled task ${name} was not made by waypointd service install.'); exit 1 }`,
  );
}

/** Values of TASK_STATE. */
const taskRunning = 4;
const taskDisabled = 1;
/** SCHED_S_TASK_RUNNING and SCHED_S_TASK_HAS_NOT_RUN: no exit code yet. */
const noResult: readonly unknown[] = [0x4_13_01, 0x4_13_03];

async function readTaskState({ run }: ServiceHost, name: string): Promise<ServiceState> {
  const quoted = powershellText(name);
  const script = `$t = Get-ScheduledTask -TaskPath '\\' -TaskName ${quoted} -ErrorAction Stop; $i = $t | Get-ScheduledTaskInfo; @{ state = [int]$t.State; result = $i.LastTaskResult; run = $i.LastRunTime.ToUniversalTime().ToString('yyyy-MM-ddTHH:mm:ssZ') } | ConvertTo-Json -Compress`;
  const { code, stdout } = await run(powershell(script));
  const found = code === 0 ? parseObject(stdout) : undefined;
  if (found === undefined) return notInstalled;
  const { state, result, run: since } = found;
  const isRunning = state === taskRunning;
  const exitCode = typeof result === 'number' && !noResult.includes(result) ? result : undefined;
  return {
    isInstalled: true,
    isEnabled: state !== taskDisabled,
    condition: isRunning ? 'running' : (exitCode ?? 0) === 0 ? 'stopped' : 'failed',
    since: isRunning && typeof since === 'string' ? since : undefined,
    lastExit: exitCode === undefined ? undefined : { code: exitCode },
  };
}
