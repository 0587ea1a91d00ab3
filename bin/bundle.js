const fs = require('node:fs');
const { createRequire, getCompileCacheDir } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

/** By then a daemon is ready, and V8 has not thrown away yet what was called once. */
const startedMs = 1_000;
const sumBytes = 4;

/**
 * Runs a program of `dist`, or the bundle of a thread, which are CommonJS, with what V8 had compiled of it when an earlier
 * run had started: a quarter of a start's CPU time. Node.js's own cache has only what is compiled before anything is called.
 * @param link path or URL
 * @param isDaemon one that ends before it was ready has called little of what the next will call
 * @returns what the program exports.
 */
function runBundle(link, isDaemon = false) {
  const file = fs.realpathSync(link);
  const source = fs.readFileSync(file);
  const { href: url } = pathToFileURL(file);
  const cache = cacheOf(file);
  const sumOf = (data) => crc32(data, crc32(source));
  const script = new Script(source.toString(), {
    filename: url,
    cachedData: cache && read(cache, sumOf),
  });
  if (cache !== undefined && script.cachedDataRejected !== false) {
    const keep = () => {
      clearTimeout(timer);
      process.off('exit', keep);
      write(cache, script.createCachedData(), sumOf);
    };
    const timer = setTimeout(keep, startedMs).unref();
    if (!isDaemon) process.once('exit', keep);
  }
  const program = { exports: {} };
  script.runInThisContext()(program, createRequire(file), url);
  return program.exports;
}

/** Beside what Node.js keeps for this version of it and this user; undefined where it keeps nothing. A daemon calls other code than commands; threads count as these. */
function cacheOf(file) {
  const directory = getCompileCacheDir();
  const use = process.argv[2] === 'serve' ? 'serve' : 'command';
  return directory && path.join(directory, `${path.basename(file)}.${use}`);
}

/** V8 itself looks at no more than the length of the source, and believes all that it reads. */
function read(cache, sumOf) {
  try {
    const bytes = fs.readFileSync(cache);
    const data = bytes.subarray(sumBytes);
    return bytes.readUInt32LE() === sumOf(data) ? data : undefined;
  } catch {
    return undefined; // Not there yet, or cut off.
  }
}

function write(cache, data, sumOf) {
  const part = `${cache}.${process.pid}`;
  try {
    const sum = Buffer.alloc(sumBytes);
    sum.writeUInt32LE(sumOf(data));
    fs.writeFileSync(part, Buffer.concat([sum, data]), { mode: 0o600 });
    fs.renameSync(part, cache);
  } catch {
    fs.rmSync(part, { force: true }); // The next start is slower, and that is all.
  }
}

module.exports = { runBundle };
