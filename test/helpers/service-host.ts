import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { commandText } from '../../cli/commands/service/status.ts';
import { createPrivateDirectory } from '../../storage/private-directory.ts';
import type { CommandLine, CommandResult } from '../../service-files/command-line.ts';
import type { ServiceSpec, ServiceHost } from '../../service-files/service-platform.ts';
import { serviceTitles } from '../../service-files/service-program.ts';
import { writeFileAtomic } from '../../storage/atomic-file.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A machine whose service manager answers what a test says, and whose home is a temporary directory. */
export interface FakeHost extends ServiceHost {
  /** Every command that was run, as a person would type it. */
  readonly ran: string[];
  /** Answers by the beginning of the command; the longest that fits counts, and else it succeeds silently. */
  readonly answers: Map<string, Partial<CommandResult> | (() => Partial<CommandResult>)>;
}

/** Makes a machine of this kind. */
export function fakeHost(
  t: ExecutionContext<unknown>,
  platform: NodeJS.Platform,
  changes: Partial<ServiceHost> = {},
): FakeHost {
  const home = join(temporaryDirectory(t), 'home');
  mkdirSync(home);
  const ran: string[] = [];
  const answers: FakeHost['answers'] = new Map();
  return {
    platform,
    env: { LOCALAPPDATA: join(home, 'local'), ProgramData: join(home, 'machine') },
    home,
    uid: platform === 'win32' ? undefined : 501,
    user: platform === 'win32' ? 'HOUSE\\ada' : 'ada',
    temporary: ['/tmp'],
    nodes: ['/opt/node'],
    launcher: '/opt/waypointd/bin/waypointd.js',
    run: async (command: CommandLine) => {
      const text = commandText(command);
      ran.push(text);
      const fitting = [...answers.keys()].filter((start) => text.startsWith(start));
      const key = fitting.toSorted((a, b) => b.length - a.length)[0] ?? '';
      const answer = answers.get(key) ?? {};
      const result = typeof answer === 'function' ? answer() : answer;
      return { code: 0, stdout: '', stderr: '', ...result };
    },
    makeDirectory: createPrivateDirectory,
    writeFile: writeFileAtomic,
    ran,
    answers,
    ...changes,
  };
}

/** What a service of the daemon is to do, in the home of a fake machine. */
export function fakeSpec({ home }: ServiceHost, changes: Partial<ServiceSpec> = {}): ServiceSpec {
  const data = join(home, 'data');
  return {
    name: 'waypointd',
    title: serviceTitles.waypointd,
    node: '/opt/node',
    words: ['/opt/waypointd/bin/waypointd.js', 'serve', '--data-dir', data],
    port: 43_098,
    writable: [data],
    hasCacheDirectory: true,
    hasNetwork: true,
    hasLogFile: false,
    ...changes,
  };
}
