/** The service files as texts: what they must say, and that every path comes out of them as it went in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { XMLParser } from 'fast-xml-parser';
import { ExitError } from '../model/exit-error.ts';
import { renderLaunchAgent } from '../service-files/launchd/agent-plist.ts';
import {
  renderNoNetwork,
  renderSocketUnit,
  renderSystemUnit,
  renderUserUnit,
} from '../service-files/systemd/service-unit.ts';
import { commandLine } from '../service-files/windows/command-line.ts';
import { renderLogonTask } from '../service-files/windows/logon-task.ts';
import { renderWrapperCommand } from '../service-files/windows/service-platform.ts';

const named = { name: 'waypointd', title: 'Waypoints and tracks (waypointd)' } as const;
const linux = { ...named, node: '/usr/bin/node', hasSocket: true };
const launcher = '/usr/local/lib/node_modules/waypointd/bin/waypointd.js';
const adasData = '/home/ada/.local/share/waypointd';
const userUnit = {
  ...linux,
  words: [launcher, 'serve', '--data-dir', adasData],
  writable: [adasData],
  hasCacheDirectory: true,
  isSandboxed: true,
};
const systemUnit = { ...linux, words: [launcher, 'serve'] };

/** Blank, all that means something to XML, a shell, systemd or Windows, and a letter outside ASCII. */
const hostile = `/a b/é/x&y<z>/"q"/it's/100%/%h/$HOME/\${A}/;#\\n/-e=f:g`;
const hostileOnWindows = String.raw`C:\a b\é & <x>\it's 100%\$HOME;#\end\\`;

test('the READMEs show exactly what is rendered', (t) => {
  const readme = (folder: string): string =>
    readFileSync(join(import.meta.dirname, '..', 'service-files', folder, 'README.md'), 'utf8');
  const systemd = readme('systemd');
  for (const text of [
    renderUserUnit(userUnit),
    renderSystemUnit(systemUnit),
    renderSocketUnit('waypointd', 43_098),
    renderNoNetwork('waypointd'),
  ]) {
    t.true(systemd.includes(`\n\`\`\`ini\n${text}\`\`\`\n`), text);
  }
  const agent = renderLaunchAgent({
    ...named,
    node: '/opt/homebrew/opt/node@24/bin/node',
    words: [
      '/opt/homebrew/lib/node_modules/waypointd/bin/waypointd.js',
      'serve',
      '--data-dir',
      '/Users/ada/Library/Application Support/waypointd',
    ],
    logFile: '/Users/ada/Library/Logs/waypointd/waypointd.log',
  });
  t.true(readme('launchd').includes(`\n\`\`\`xml\n${agent}\`\`\`\n`));
  const node = String.raw`C:\Program Files\nodejs\node.exe`;
  const local = String.raw`C:\Users\ada\AppData\Local\waypointd`;
  const machine = String.raw`C:\ProgramData\waypointd`;
  const task = renderLogonTask({
    ...named,
    node,
    words: [
      String.raw`C:\Users\ada\AppData\Roaming\npm\node_modules\waypointd\bin\waypointd.js`,
      'serve',
      '--data-dir',
      `${local}\\Data`,
      '--log-file',
      `${local}\\Log\\waypointd.log`,
    ],
    user: String.raw`HOUSE\ada`,
  });
  const windows = readme('windows');
  t.true(windows.includes(`\n\`\`\`xml\n${task}\`\`\`\n`));
  const wrapped = renderWrapperCommand({
    ...named,
    node,
    words: [
      String.raw`C:\Program Files\waypointd\bin\waypointd.js`,
      'serve',
      '--data-dir',
      `${machine}\\Data`,
      '--cache-dir',
      `${machine}\\Cache`,
      '--runtime-dir',
      `${machine}\\Run`,
    ],
    wrapper: String.raw`C:\Program Files\shawl\shawl.exe`,
    logDirectory: `${machine}\\Log`,
  });
  t.true(windows.includes(`\n\`\`\`text\n${wrapped}\n\`\`\`\n`));
});

test('the user unit reads the home directory and writes to its own directories only', (t) => {
  const text = renderUserUnit({ ...userUnit, writable: ['/a', '/b'] });
  t.regex(text, /^ProtectHome=read-only$/mu);
  t.deepEqual(text.match(/^ReadWritePaths=.*$/gmu), ['ReadWritePaths="/a"', 'ReadWritePaths="/b"']);
  t.regex(text, /^CacheDirectory=waypointd$/mu);
  t.notRegex(renderUserUnit({ ...userUnit, hasCacheDirectory: false }), /CacheDirectory/u);
});

test('without namespaces the user unit keeps what needs none', (t) => {
  const text = renderUserUnit({ ...userUnit, isSandboxed: false });
  t.regex(text, /^SystemCallFilter=@system-service$/mu);
  t.notRegex(text, /^(?:Private|Protect|ReadWrite|Capability)/mu);
});

test('the object server has no socket unit and nothing of the daemon', (t) => {
  const name = 'waypointd-objects';
  const text = renderUserUnit({ ...userUnit, name, hasSocket: false, hasCacheDirectory: false });
  t.regex(text, /^Type=notify$/mu);
  t.notRegex(text, /waypointd\.socket|^RuntimeDirectory|^CacheDirectory|^Also/mu);
});

test('systemd gets hostile paths as they are, in arguments and as writable directories', (t) => {
  const node = '/opt/é 100% & <co>;#/node';
  const text = renderUserUnit({
    ...userUnit,
    node,
    words: [launcher, 'serve', '--data-dir', hostile],
    writable: [hostile],
  });
  t.deepEqual(unitWords(text, 'ExecStart', true), [node, launcher, 'serve', '--data-dir', hostile]);
  t.deepEqual(unitWords(text, 'ReadWritePaths', false), [hostile]);
});

/** Reads quoted words as systemd.syntax(7) and systemd.service(5) have it. */
function unitWords(unit: string, key: string, hasVariables: boolean): string[] {
  const line = new RegExp(`^${key}=(.*)$`, 'mu').exec(unit)?.[1] ?? '';
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, word = ''], at) => {
    const plain = word.replaceAll(/\\(.)/gu, '$1').replaceAll('%%', '%');
    return hasVariables && at > 0 ? plain.replaceAll('$$', '$') : plain;
  });
}

for (const character of ['"', "'", '\\', '$']) {
  test(`systemd cannot start a program with ${character} in its path, which is said`, (t) => {
    const node = `/opt/a${character}b/node`;
    t.throws(() => renderUserUnit({ ...userUnit, node }), {
      instanceOf: ExitError,
      message: `systemd cannot start a program whose path has a ${character} in it: ${node}\nNothing was changed.`,
    });
  });
}

const xml = new XMLParser({ parseTagValue: false, trimValues: false });

test('launchd gets hostile paths as they are', (t) => {
  const plist = renderLaunchAgent({ ...named, node: hostile, words: ['serve'], logFile: hostile });
  const { dict } = xml.parse(plist).plist;
  t.deepEqual(dict.array.string, [hostile, 'serve']);
  t.is(dict.string.filter((text: string) => text === hostile).length, 2, 'the log, twice');
});

test('the task of Windows gets hostile paths as they are', (t) => {
  const user = 'A & B\\<é>';
  const words = [hostileOnWindows, 'serve', '', 'a"b\\"c'];
  const task = xml.parse(renderLogonTask({ ...named, node: hostileOnWindows, words, user })).Task;
  t.is(task.Triggers.LogonTrigger.UserId, user);
  t.is(task.Principals.Principal.UserId, user);
  const { Command, Arguments } = task.Actions.Exec;
  t.is(Command, String.raw`%SystemRoot%\System32\conhost.exe`);
  t.deepEqual(splitCommandLine(Arguments), ['--headless', hostileOnWindows, ...words]);
});

test('the service of Windows leaves the wrapper no exit code to retry that is final', (t) => {
  const wrapper = String.raw`C:\a b\shawl.exe`;
  const command = renderWrapperCommand({
    ...named,
    node: hostileOnWindows,
    words: ['serve'],
    wrapper,
    logDirectory: 'C:\\log',
  });
  const words = splitCommandLine(command);
  t.is(words[0], wrapper);
  t.is(words[words.indexOf('--restart-if-not') + 1], '0,64,65,69,74,75,78');
  t.deepEqual(words.slice(words.indexOf('--') + 1), [hostileOnWindows, 'serve']);
});

test('a command line of Windows is split into the words it was made of', (t) => {
  const words = ['', 'a', 'a b', '"', '\\', '\\"', 'a\\', 'a\\\\"b', '\\\\server\\x\\', "'", '%a'];
  t.deepEqual(splitCommandLine(commandLine(words)), words);
});

/** As the C runtime of Windows splits: backslashes count only in front of a quotation mark. */
function splitCommandLine(line: string): string[] {
  const word = /"((?:[^"\\]|\\+[^"\\]|(?:\\\\)*\\"|(?:\\\\)+(?="))*)"|(\S+)/gu;
  return [...line.matchAll(word)].map(
    ([, quoted = '', plain]) =>
      plain ??
      quoted.replaceAll(
        /(\\+)("|$)/gu,
        (_, slashes: string, quote: string) => slashes.slice(0, slashes.length / 2) + quote,
      ),
  );
}

for (const path of [String.raw`C:\%TEMP%\node.exe`, String.raw`C:\$(Arg0)\node.exe`]) {
  test(`Windows would replace a part of ${path}, which is said`, (t) => {
    const task = { ...named, node: path, words: [], user: 'u' };
    t.throws(() => renderLogonTask(task), { instanceOf: ExitError });
    const service = { ...task, wrapper: 'C:\\w.exe', logDirectory: 'C:\\l' };
    t.throws(() => renderWrapperCommand(service), { instanceOf: ExitError });
  });
}

for (const control of ['\n', '\r', '\0', '\t', '\u0085']) {
  test(`a path with control character ${control.charCodeAt(0)} fits into no service file, which is said`, (t) => {
    const path = `/a${control}b`;
    const agent = { ...named, node: '/n', words: [path], logFile: '/l' };
    for (const render of [
      () => renderUserUnit({ ...userUnit, words: [path] }),
      () => renderUserUnit({ ...userUnit, writable: [path] }),
      () => renderLaunchAgent(agent),
      () => renderLogonTask({ ...agent, user: 'u' }),
    ]) {
      t.throws(render, { instanceOf: ExitError, message: /control character/u });
    }
  });
}
