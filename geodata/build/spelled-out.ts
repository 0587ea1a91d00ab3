/** Letters that people without them on their keyboard write as two. */
const pairs: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** A name as it is written without umlauts: `Tuebingen`, `Tromsoe`. */
export function spelledOut(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüåø]/g, (letter) => pairs[letter]!);
}
