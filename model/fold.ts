/**
 * Letters that search treats as others although Unicode does not decompose them. What compatibility decomposition (NFKD)
 * does itself (é, ö, ﬁ, ½, full width …) is not listed.
 */
const letters: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ø: 'o',
  ŧ: 't',
  ə: 'e',
  // The final form of sigma depends on its neighbours, so that a name's beginning would not match.
  ς: 'σ',
  '‘': "'",
  '’': "'",
  ʻ: "'",
  ʼ: "'",
  '“': '"',
  '”': '"',
  '‐': '-',
  '–': '-',
  '—': '-',
  '−': '-',
};

const ascii = /^[\0-\x7f]*$/;

/** Accents and other marks, and characters that nobody sees (soft hyphen, joiners, direction marks). */
const marks = /[\p{M}\p{Cf}]+/gu;
const listedLetters = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu');

/**
 * Folds a text for search: letters that differ only by case or accents become equal. Takes time in proportion to the
 * text, and folding twice changes nothing.
 */
export function foldName(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .toLowerCase()
    .replace(listedLetters, (letter) => letters[letter]!);
}

/** Compares folded names by code point, the order of their UTF-8 bytes (`<` compares UTF-16 units, which differs). */
export function compareFolded(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return aboveSurrogates(left) - aboveSurrogates(right);
  }
  return a.length - b.length;
}

/** Moves surrogates (U+10000 and above) behind the rest of the units, U+E000…U+FFFF before them. */
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
