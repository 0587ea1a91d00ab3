import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { commandText } from '../../cli/service/command-text.ts';
import type { CommandLine, CommandResult } from '../../cli/service/command-line.ts';
import type { ServiceHost } from '../../cli/service/service-host.ts';
import type { ServiceWish } from '../../cli/service/service-platform.ts';
import { temporaryDirectory } from './daemon.ts';

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
    ran,
    answers,
    ...changes,
  };
}

/** What a service of the daemon is to do, in the home of a fake machine. */
export function fakeWish({ home }: ServiceHost, changes: Partial<ServiceWish> = {}): ServiceWish {
  const data = join(home, 'data');
  return {
    node: '/opt/node',
    launcher: '/opt/waypointd/bin/waypointd.js',
    words: ['serve', '--data-dir', data],
    port: 43_098,
    writable: [data],
    hasUsualCache: true,
    hasNetwork: true,
    hasLogFile: false,
    ...changes,
  };
}
