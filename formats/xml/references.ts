/** The entities every XML reader knows. */
const predefinedEntities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** A reference: decimal (1), hexadecimal (2) or by name (3), as long as XMLValidator allows; else a lone `&`. */
const reference = /&(?:#([0-9]+);|#x([0-9A-Fa-f]+);|(\w{1,20});)?/g;

/** Replaces references; those of an undeclared entity stay as written. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(reference, (whole, decimal?: string, hex?: string, entity = '') => {
    const code = codePointOf(decimal, hex);
    return code === undefined
      ? (predefinedEntities.get(entity) ?? whole)
      : String.fromCodePoint(code);
  });
}

/** Where a `&` begins no reference, or one to a character that XML does not have; −1 = nowhere. */
export function findBadReference(text: string): number {
  if (!text.includes('&')) return -1;
  for (const { 0: whole, 1: decimal, 2: hex, index } of text.matchAll(reference)) {
    const code = codePointOf(decimal, hex);
    if (whole === '&' || (code !== undefined && !isXmlCharacter(code))) return index;
  }
  return -1;
}

function codePointOf(decimal: string | undefined, hex: string | undefined): number | undefined {
  if (decimal !== undefined) return Number(decimal);
  return hex === undefined ? undefined : Number.parseInt(hex, 16);
}

/** Production 2 of XML 1.0, Char. */
function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  if (code <= 0xd7ff) return true;
  return (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
