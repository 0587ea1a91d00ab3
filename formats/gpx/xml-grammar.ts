/**
 * The productions of XML 1.0 (fifth edition) that the scanner needs, as sticky patterns: each is tried at `lastIndex` and
 * runs in linear time, because no two neighbouring parts can match the same character.
 */

const space = '[ \\t\\r\\n]';
const nameStart =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}' +
  '\\u{200C}-\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}' +
  '\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}';
const nameRest = `${nameStart}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}`;
const name = `[${nameStart}][${nameRest}]*`;
const literal = `(?:"[^"]*"|'[^']*')`;
const publicCharacters = ` \\r\\na-zA-Z0-9\\-()+,./:=?;!*#@$_%`;
const publicLiteral = `(?:"[${publicCharacters}']*"|'[${publicCharacters}]*')`;
const value = `(?:"[^<"]*"|'[^<']*')`;

function sticky(pattern: string): RegExp {
  return new RegExp(pattern, 'uy');
}

/** White space of XML, which is less than JavaScript's; matches nothing, too. */
export const spaces = sticky(`${space}*`);

/** A name: of an element, an attribute, the target of an instruction. */
export const anyName = sticky(name);

/** One attribute with the white space before it; group 1 is its name. */
export const attribute = sticky(`${space}+(${name})${space}*=${space}*${value}`);

/** The end of a start tag after its last attribute. */
export const startTagEnd = sticky(`${space}*/?>`);

/** What may stand between the last whole attribute of a start tag and the end of the input so far. */
export const unfinishedStartTag = sticky(
  `(?:${space}*/?|${space}+${name}(?:${space}*(?:=${space}*(?:"[^<"]*|'[^<']*)?)?)?)$`,
);

/** The declaration at the start of a document. */
export const declaration = sticky(
  `<\\?xml${space}+version${space}*=${space}*(["'])1\\.[0-9]+\\1` +
    `(?:${space}+encoding${space}*=${space}*(["'])[A-Za-z][\\w.\\-]*\\2)?` +
    `(?:${space}+standalone${space}*=${space}*(["'])(?:yes|no)\\3)?${space}*\\?>`,
);

/** A document type declaration up to its end, or to the internal subset: group 1 tells an external one, 2 is `>` or `[`. */
export const doctype = sticky(
  `<!DOCTYPE${space}+${name}` +
    `(?:${space}+(SYSTEM${space}+${literal}|PUBLIC${space}+${publicLiteral}${space}+${literal}))?` +
    `${space}*([>[])`,
);

/** A document type declaration whose end, or internal subset, is not there yet. */
export const unfinishedDoctype = sticky(
  `<!DOCTYPE(?:[^<>"'[]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?$`,
);

/** A reference: decimal (1), hexadecimal (2) or by name (3). */
export const reference = sticky(`&(?:#([0-9]+)|#x([0-9A-Fa-f]+)|(${name}));`);

/** Where a sticky pattern that matches at `at` ends; −1 when it does not. */
export function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** A character that no XML 1.0 document may hold; lone surrogates cannot come out of the decoder. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
export const illegalCharacter = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** The entities every XML reader knows. */
export const predefinedEntities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** Tells whether a numeric reference may name this code point (production 2, Char). */
export function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  if (code <= 0xd7ff) return true;
  return (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
