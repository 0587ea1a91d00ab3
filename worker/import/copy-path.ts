import { createHash } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { extname } from 'node:path';
import { WaypointError } from '../../model/failure.ts';
import type { ImportRequest } from '../../model/import.ts';

/** Characters that Windows does not take in a name (Microsoft, "Naming Files, Paths, and Namespaces"). */
// oxlint-disable-next-line no-control-regex -- control characters are among them
const reservedCharacters = /[<>:"|?*\\\u0000-\u001f]/gu;
const reservedEnd = /[. ]$/u;
/** Device names, which Windows finds before the first dot; ², ³ and ¹ count as digits. */
const deviceName = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[\d\xb2\xb3\xb9]) *(?:\.|$)/iu;
/** What reads like our own encoding is encoded, so that two names never become one. */
const percentSequence = /%(?=[0-9A-F]{2})/giu;
/** The limit of a name on the file systems in use. */
const nameBytes = 255;
const cutBytes = 160;

/**
 * Gives the path of a source below `imports/`: NFC, with reserved Windows forms percent-encoded on every system, so
 * that the data directory can be carried to another one.
 * @param parts the names on the way, none of them `..` or empty.
 */
export function copyPath(parts: readonly string[]): string {
  return parts.map((part, index) => copyName(part, index === parts.length - 1)).join('/');
}

/** Where the copy of a source goes whose place a file of another directory has: `name (2).gpx`, and so on. */
export function besidePath(path: string, number: number): string {
  const [folder, name] = splitPath(path);
  const end = extname(name);
  return folder + shortName(`${name.slice(0, name.length - end.length)} (${number})${end}`, true);
}

/** The name that a file has while it is copied, beside its own place: hidden, as the name of no source is. */
export function temporaryPath(path: string): string {
  const [folder, name] = splitPath(path);
  return `${folder}.${digest(name)}.tmp`;
}

function splitPath(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf('/') + 1;
  return [path.slice(0, slash), path.slice(slash)];
}

function copyName(part: string, isFile: boolean): string {
  const name = part
    .normalize('NFC')
    .replace(percentSequence, '%25')
    .replace(reservedCharacters, encode)
    .replace(reservedEnd, encode)
    .replace(deviceName, (device) => encode(device[0] ?? '') + device.slice(1));
  return shortName(name, isFile);
}

/** Composing, encoding and numbering may lengthen a name that was just short enough. */
function shortName(name: string, isFile: boolean): string {
  if (Buffer.byteLength(name) <= nameBytes) return name;
  const end = isFile ? extname(name) : '';
  return `${cutText(name)}~${digest(name)}${end}`;
}

function encode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function cutText(text: string): string {
  let cut = '';
  for (const character of text) {
    if (Buffer.byteLength(cut) + Buffer.byteLength(character) > cutBytes) break;
    cut += character;
  }
  return cut;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Splits the relative paths of a request into names. `into` may not name hidden directories, which are ours.
 * @throws WaypointError invalid, for a path that is absolute, leads upwards or is not made of plain names.
 */
export function requestPaths({ files, into }: ImportRequest): {
  files: string[][] | undefined;
  into: string[];
} {
  return {
    files: files?.map((file) => splitRelative(file) ?? refuse('files')),
    into: into === undefined ? [] : (splitInto(into) ?? refuse('into')),
  };
}

function splitInto(into: string): string[] | undefined {
  const parts = splitRelative(into);
  return parts?.some((part) => part.startsWith('.')) === true ? undefined : parts;
}

function splitRelative(path: string): string[] | undefined {
  if (/[\\\0]/u.test(path) || !path.isWellFormed()) return undefined;
  const parts = path.split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..');
  // `C:` is not plain on Windows: `C:a` is relative to another directory.
  const isDrive = process.platform === 'win32' && parts.some((part) => part.includes(':'));
  return isPlain && !isDrive ? parts : undefined;
}

function refuse(field: 'files' | 'into'): never {
  throw new WaypointError('invalid', { field });
}
