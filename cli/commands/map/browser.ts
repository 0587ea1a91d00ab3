import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import open from 'open';

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
  const file = join(directory, `map-${randomBytes(8).toString('hex')}.html`);
  await writeFile(file, redirectTo(address), { flag: 'wx', mode: 0o600 });
  try {
    await open(file);
  } catch {
    // The command has told what to do where no page opens.
  }
  return () => rm(file, { force: true });
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
