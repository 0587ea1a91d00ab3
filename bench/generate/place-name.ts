import type { Random } from '../random.ts';

/** Invented words by script. Composed characters only (NFC), as the daemon keeps names. */
interface Script {
  readonly first: readonly string[];
  readonly middle: readonly string[];
  readonly last: readonly string[];
}

const plain: Script = {
  first: [
    'Bar',
    'Cor',
    'Del',
    'Fen',
    'Gar',
    'Hol',
    'Kir',
    'Lan',
    'Mar',
    'Nor',
    'Pel',
    'Ros',
    'Tal',
    'Wen',
  ],
  middle: ['a', 'e', 'i', 'o', 'ami', 'ele', 'ira', 'ona', 'ula', 'ver'],
  last: ['berg', 'by', 'dale', 'ford', 'grad', 'ham', 'mouth', 'nes', 'stad', 'ton', 'vik', 'wick'],
};
const accented: Script = {
  first: [
    'Ål',
    'Bø',
    'Çay',
    'Édi',
    'Göt',
    'Île',
    'Łod',
    'Mün',
    'Ñan',
    'Øst',
    'Šib',
    'Ürg',
    'Žel',
    'İz',
  ],
  middle: ['á', 'è', 'ı', 'õ', 'ů', 'aré', 'eñi', 'oğu', 'ürü'],
  last: ['ão', 'bœuf', 'ća', 'dóttir', 'ğlu', 'häuser', 'mølle', 'straße', 'ville', 'ów'],
};
const greek: Script = {
  first: ['Άνω', 'Κάτω', 'Μεγα', 'Νέα', 'Παλαιο'],
  middle: ['λι', 'μο', 'ρα', 'στε'],
  last: ['κώμη', 'πόλη', 'χώρι', 'νήσι'],
};
const cyrillic: Script = {
  first: ['Бело', 'Верх', 'Ново', 'Стар', 'Чёрно'],
  middle: ['го', 'ле', 'ми', 'ра'],
  last: ['град', 'ово', 'поль', 'ськ', 'їв'],
};
const han: Script = {
  first: ['上', '中', '大', '新', '白'],
  middle: ['山', '川', '木', '石', '野'],
  last: ['寺', '島', '村', '町', '駅'],
};
/** Three quarters plain Latin, the rest in turn. */
const scripts = [...Array<Script>(15).fill(plain), accented, accented, greek, cyrillic, han];

const kinds = [
  '',
  '',
  '',
  ' Bridge',
  ' Camp',
  ' Harbour',
  ' Lake',
  ' Museum',
  ' Station',
  ' & Sons',
];

/** Makes the name of a place: 14 bytes on average, a quarter of them with characters beyond ASCII. */
export function placeName(random: Random): string {
  const { first, middle, last } = random.pick(scripts);
  const name = random.pick(first) + random.pick(middle) + random.pick(last) + random.pick(kinds);
  return random.oneIn(3) ? `${name} ${1 + random.below(99)}` : name;
}
