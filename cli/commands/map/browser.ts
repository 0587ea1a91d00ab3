import { randomBytes } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import open from 'open';

const ours = /^map-[0-9a-f]{16}\.html$/u;
/** The code in a file is of no use any more after a minute. */
const usefulMs = 60_000;

/**
 * Opens an address in the user's browser. Programs get their arguments where every user can read them, so the browser is
 * sent to a file that only its owner may read, and from there to the address.
 * @param directory a private one
 * @returns removes the file
 */
export async function openInBrowser(
  address: string,
  directory: string,
): Promise<() => Promise<void>> {
  await removeUseless(directory);
  const file = join(directory, `map-${randomBytes(8).toString('hex')}.html`);
  await writeFile(file, redirectTo(address), { flag: 'wx', mode: 0o600 });
  try {
    await open(file);
  } catch {
    // The command has told what to do where no page opens.
  }
  return () => rm(file, { force: true });
}

/** Removes what commands have left that were killed. */
async function removeUseless(directory: string): Promise<void> {
  const files = (await readdir(directory)).filter((name) => ours.test(name));
  for (const file of files.map((name) => join(directory, name))) {
    // Another command may remove it meanwhile.
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
    if (Date.now() - mtimeMs > usefulMs) await rm(file, { force: true });
  }
}

/** @param address ours: nothing in it needs escaping */
function redirectTo(address: string): string {
  return `<!doctype html>
<meta charset="utf-8" />
<meta name="referrer" content="no-referrer" />
<meta http-equiv="refresh" content="0; url=${address}" />
<title>waypointd map</title>
<a href="${address}">Open the map</a>
`;
}
