import type { Random } from '../random.ts';

/** Invented words by script. Composed characters only (NFC), as the daemon keeps names. */
interface Script {
  readonly first: readonly string[];
  readonly middle: readonly string[];
  readonly last: readonly string[];
}

const plain: Script = {
  first: 'Bar Cor Del Fen Gar Hol Kir Lan Mar Nor Pel Ros Tal Wen'.split(' '),
  middle: 'a e i o ami ele ira ona ula ver'.split(' '),
  last: 'berg by dale ford grad ham mouth nes stad ton vik wick'.split(' '),
};
const accented: Script = {
  first: 'Ål Bø Çay Édi Göt Île Łod Mün Ñan Øst Šib Ürg Žel İz'.split(' '),
  middle: 'á è ı õ ů aré eñi oğu ürü'.split(' '),
  last: 'ão bœuf ća dóttir ğlu häuser mølle straße ville ów'.split(' '),
};
const greek: Script = {
  first: 'Άνω Κάτω Μεγα Νέα Παλαιο'.split(' '),
  middle: 'λι μο ρα στε'.split(' '),
  last: 'κώμη πόλη χώρι νήσι'.split(' '),
};
const cyrillic: Script = {
  first: 'Бело Верх Ново Стар Чёрно'.split(' '),
  middle: 'го ле ми ра'.split(' '),
  last: 'град ово поль ськ їв'.split(' '),
};
const han: Script = {
  first: '上 中 大 新 白'.split(' '),
  middle: '山 川 木 石 野'.split(' '),
  last: '寺 島 村 町 駅'.split(' '),
};
/** Three quarters plain Latin, the rest in turn. */
const scripts = [...Array<Script>(15).fill(plain), accented, accented, greek, cyrillic, han];

// The first three are none.
const kinds = '||| Bridge| Camp| Harbour| Lake| Museum| Station| & Sons'.split('|');

/** Makes the name of a place: 14 bytes on average, a quarter of them with characters beyond ASCII. */
export function placeName(random: Random): string {
  const { first, middle, last } = random.pick(scripts);
  const name = random.pick(first) + random.pick(middle) + random.pick(last) + random.pick(kinds);
  return random.oneIn(3) ? `${name} ${1 + random.below(99)}` : name;
}
