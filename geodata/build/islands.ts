import { distance } from 'geokdbush';
import { unitsPerDegree } from '../format.ts';
import type { WorldArea } from './search-areas.ts';
import type { WorldPlace } from './world-places.ts';

/**
 * Islands that people travel to and that are neither a country nor a region of GeoNames, which has Bali, Crete or Corsica.
 * No source at hand has them; written by hand. By country: names, latitude, longitude, and the km around it that hold them.
 */
const table = `
AU: Kangaroo Island -35.8 137.2 80, Fraser Island/K'gari -25.2 153.15 65, Phillip Island -38.48 145.23 13, Rottnest Island -32 115.52 6, Magnetic Island -19.14 146.83 6
AG: Barbuda 17.63 -61.8 14
BR: Fernando de Noronha -3.85 -32.42 7, Ilhabela -23.83 -45.35 16
BZ: Ambergris Caye 18 -87.92 22
CA: Vancouver Island 49.6 -125.6 230, Newfoundland 48.6 -56 290, Cape Breton/Cape Breton Island 46.2 -60.7 75, Haida Gwaii/Queen Charlotte Islands 53.3 -132.2 120
CL: Easter Island/Rapa Nui/Isla de Pascua -27.12 -109.36 13, Chiloé -42.6 -73.9 95
CO: San Andrés 12.55 -81.72 8
CV: Sal 16.73 -22.93 17, Boa Vista 16.1 -22.82 19, Santiago 15.07 -23.62 30, São Vicente 16.85 -24.97 14, Santo Antão 17.07 -25.17 23
DE: Rügen 54.43 13.43 28, Usedom 53.93 14.08 24, Sylt 54.91 8.33 18, Föhr 54.72 8.48 7, Amrum 54.65 8.34 6, Fehmarn 54.45 11.15 11, Norderney 53.71 7.2 8, Borkum 53.59 6.7 6, Heligoland/Helgoland 54.18 7.89 3
DK: Bornholm 55.13 14.92 24, Funen/Fyn 55.3 10.35 45, Zealand/Sjælland 55.5 11.85 75, Lolland 54.77 11.43 33, Falster 54.83 11.97 25, Samsø 55.86 10.6 14, Ærø 54.88 10.35 16, Læsø 57.28 11.02 12, Fanø 55.4 8.4 9
EE: Saaremaa/Ösel 58.42 22.5 45, Hiiumaa 58.9 22.63 28
ES: Mallorca/Majorca 39.61 2.98 50, Menorca/Minorca 39.97 4.08 24, Ibiza/Eivissa 38.98 1.43 22, Formentera 38.69 1.45 11, Tenerife/Teneriffa 28.29 -16.62 42, Gran Canaria 27.96 -15.6 27, Lanzarote 29.04 -13.63 30, Fuerteventura 28.4 -14 50, La Palma 28.68 -17.86 24, La Gomera 28.11 -17.24 14, El Hierro 27.74 -18.02 15
FJ: Viti Levu -17.8 178 75, Vanua Levu -16.6 179.2 95
FR: Oléron/Île d'Oléron 45.93 -1.28 17, Île de Ré 46.2 -1.42 15, Belle-Île/Belle-Île-en-Mer 47.33 -3.18 10, Noirmoutier 46.98 -2.25 11
GB: Isle of Wight 50.69 -1.3 20, Anglesey/Ynys Môn 53.28 -4.33 20, Skye/Isle of Skye 57.35 -6.2 40, Mull/Isle of Mull 56.45 -6 26, Islay 55.77 -6.2 21, Arran/Isle of Arran 55.58 -5.25 16, Lewis and Harris/Isle of Lewis 58.1 -6.75 50, Orkney/Orkney Islands 59 -3.05 45, Shetland/Shetland Islands 60.35 -1.25 60, Isles of Scilly 49.93 -6.3 9
GR: Rhodes/Rhodos/Rodos 36.2 27.95 42, Corfu/Kerkyra 39.6 19.85 32, Kos 36.83 27.1 23, Santorini/Thira 36.4 25.45 10, Mykonos 37.45 25.37 9, Naxos 37.05 25.47 17, Paros 37.07 25.2 13, Zakynthos/Zante 37.79 20.79 20, Kefalonia/Cephalonia 38.25 20.57 27, Lefkada/Lefkas 38.71 20.64 18, Lesbos/Lesvos 39.21 26.28 38, Chios 38.4 26.03 26, Samos 37.75 26.83 23, Skiathos 39.17 23.46 7, Skopelos 39.12 23.7 11, Thasos 40.68 24.65 14, Karpathos 35.6 27.13 24, Ikaria 37.6 26.15 20, Milos 36.7 24.42 12, Lemnos/Limnos 39.9 25.2 19, Euboea/Evia 38.55 23.85 85, Aegina 37.73 23.5 8, Hydra 37.33 23.47 11, Syros 37.43 24.91 9
HN: Roatán 16.35 -86.45 30
HR: Krk 45.08 14.6 21, Cres 44.85 14.4 32, Rab 44.77 14.77 12, Pag 44.48 14.97 31, Brač 43.32 16.63 21, Hvar 43.14 16.72 35, Korčula 42.95 16.9 24, Vis 43.04 16.15 9, Lošinj 44.58 14.42 17
ID: Lombok -8.6 116.3 45, Java/Jawa -7.3 110 550, Sumatra -0.6 101.5 950, Flores -8.66 121.1 190, Sulawesi -2 120.8 480, Sumbawa -8.65 117.8 140, Nias 1.1 97.55 65, Bintan 1.05 104.45 35
IT: Elba 42.77 10.27 16, Capri 40.55 14.22 4, Ischia 40.73 13.9 6, Lampedusa 35.51 12.58 6, Pantelleria 36.79 12 9, Lipari 38.49 14.94 5
JP: Honshu/Honshū 36.5 138 750, Kyushu/Kyūshū 32.7 131 170, Shikoku 33.75 133.5 115, Ishigaki 24.42 124.2 19, Sado 38 138.4 33
KN: Nevis 17.15 -62.58 7
MG: Nosy Be -13.33 48.26 16
MT: Gozo 36.05 14.25 8
MX: Cozumel 20.43 -86.9 27, Isla Mujeres 21.23 -86.74 5
MY: Langkawi 6.36 99.8 18
NL: Texel 53.07 4.8 14, Terschelling 53.4 5.35 16, Ameland 53.45 5.75 14, Vlieland 53.27 5 11, Schiermonnikoog 53.48 6.2 9
NO: Lofoten 68.2 14 75, Senja 69.3 17.3 40
NZ: South Island -44 170.5 430, North Island -38.6 176 420, Stewart Island/Rakiura -46.95 167.9 38, Waiheke Island -36.8 175.1 11
PF: Tahiti -17.65 -149.45 32, Moorea -17.54 -149.83 10, Bora Bora -16.5 -151.74 9
PH: Boracay 11.97 121.92 4, Palawan 10 118.8 230, Cebu 10.3 123.8 110, Bohol 9.85 124.15 45, Siargao 9.87 126.05 20, Luzon 16.5 121 420, Mindanao 7.9 125 260
PT: Porto Santo 33.07 -16.34 8, São Miguel 37.78 -25.5 34, Terceira 38.72 -27.22 17, Faial 38.58 -28.7 12, Pico 38.46 -28.33 25
SC: Mahé -4.68 55.48 15, Praslin -4.32 55.73 8
SE: Öland 56.75 16.65 70
TH: Ko Samui/Koh Samui 9.5 100 14, Ko Pha Ngan/Koh Phangan 9.74 100.03 10, Ko Tao/Koh Tao 10.09 99.84 5, Ko Chang/Koh Chang 12.05 102.32 16, Ko Lanta/Koh Lanta 7.6 99.06 15
TN: Djerba/Jerba 33.8 10.88 19
TT: Tobago 11.23 -60.68 23
TZ: Zanzibar/Unguja -6.13 39.36 45, Pemba -5.2 39.77 36
US: Oahu/O'ahu 21.47 -157.98 35, Maui 20.8 -156.33 38, Kauai/Kaua'i 22.05 -159.52 27, Hawaii/Big Island/Hawaii Island 19.6 -155.5 80, Molokai 21.13 -157 32, Long Island 40.85 -73.1 95, Martha's Vineyard 41.39 -70.65 17, Nantucket 41.28 -70.06 13, Whidbey Island 48.1 -122.58 35
VE: Margarita/Isla de Margarita 11 -63.95 40
VN: Phú Quốc/Phu Quoc 10.25 103.98 27
YE: Socotra 12.5 53.85 70
`;

const entry = /^(?<names>.+) (?<lat>\S+) (?<lon>\S+) (?<km>\S+)$/u;

/** The islands of the table; their people are those of the places around. */
export function islands(places: readonly WorldPlace[]): WorldArea[] {
  const byCountry = Map.groupBy(places, ({ country }) => country);
  const lines = table.trim().split('\n');
  return lines.flatMap((line) => {
    const country = line.slice(0, 2);
    const known = byCountry.get(country) ?? [];
    return line
      .slice(4)
      .split(', ')
      .map((text) => island(country, text, known));
  });
}

function island(country: string, text: string, places: readonly WorldPlace[]): WorldArea {
  const { names = '', ...numbers } = entry.exec(text)?.groups ?? {};
  const [lat, lon, km] = [Number(numbers['lat']), Number(numbers['lon']), Number(numbers['km'])];
  const around = places.filter(
    (place) => distance(lon, lat, place.lon / unitsPerDegree, place.lat / unitsPerDegree) <= km,
  );
  return {
    kind: 'island',
    names: names.split('/'),
    country,
    lat: Math.round(lat * unitsPerDegree),
    lon: Math.round(lon * unitsPerDegree),
    population: around.reduce((sum, { population }) => sum + population, 0),
    radiusM: km * 1_000,
  };
}
