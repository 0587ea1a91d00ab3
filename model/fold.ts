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

const unchangedByUnicode = /^[\0-\x7f]*$/;
/** Accents and other marks, and characters that nobody sees (soft hyphen, joiners, direction marks). */
const marks = /[\p{M}\p{Cf}]+/gu;
const listedLetters = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu');

/**
 * Folds a text for search: letters that differ only by case or accents become equal. Takes time in proportion to the
 * text, and folding twice changes nothing.
 */
export function foldName(text: string): string {
  if (unchangedByUnicode.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .toLowerCase()
    .replace(listedLetters, (letter) => letters[letter] ?? letter);
}
