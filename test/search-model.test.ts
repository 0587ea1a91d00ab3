import test from 'ava';
import fc from 'fast-check';
import { longitudeRanges } from '../model/bbox.ts';
import { compareFolded, foldName } from '../model/fold.ts';
import { identityOf } from '../model/identity.ts';
import { maxLatitude, worldSizePx, worldX, worldY } from '../model/mercator.ts';
import { normalizeText } from '../model/text.ts';
import { formatTime } from '../model/time.ts';
import { rounds } from './helpers/effort.ts';

test('identity: the name is trimmed and composed, the position rounded to 1e-6 degree', (t) => {
  const expected = { name: 'Café', latE6: 47_123_457, lonE6: -8_000_001 };
  t.deepEqual(identityOf(' Cafe\u0301 ', 47.123_456_7, -8.000_001_4), expected);
  t.deepEqual(identityOf('Café', 47.123_456_5, -8.000_000_6), expected);
});

test('identity: −0 is 0 and −180 is 180', (t) => {
  t.deepEqual(identityOf('x', -0, -180), { name: 'x', latE6: 0, lonE6: 180_000_000 });
  t.deepEqual(identityOf('x', -1e-9, -179.999_999_8), identityOf('x', 0, 180));
  t.true(Object.is(identityOf('x', -1e-9, -1e-9).lonE6, 0));
});

test('identity: names that are not looked at closely are normal ones', (t) => {
  const unit = fc.integer({ min: 0, max: 0x320 }).map((code) => String.fromCharCode(code));
  const name = fc.string({ unit, maxLength: 4 });
  fc.assert(
    fc.property(name, (text) => t.is(identityOf(text, 0, 0).name, normalizeText(text))),
    { numRuns: rounds(1_000) },
  );
});

test('formatTime writes what Date does, but whole seconds without a fraction', (t) => {
  const time = fc.oneof(
    fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
    fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }).map((seconds) => seconds * 1_000),
    fc.constantFrom(0, -1, -1_000, 86_399_000, 86_400_000, -62_167_219_200_000, 8.64e15, -8.64e15),
  );
  fc.assert(
    fc.property(time, (timeMs) =>
      t.is(formatTime(timeMs), new Date(timeMs).toISOString().replace('.000Z', 'Z')),
    ),
    { numRuns: rounds(1_000) },
  );
  t.throws(() => formatTime(Number.NaN), { instanceOf: RangeError });
  t.throws(() => formatTime(8.64e15 + 1_000), { instanceOf: RangeError });
});

test('mercator: the world is a square from 0 to 1, twice as wide a zoom', (t) => {
  t.deepEqual([worldX(-180), worldX(0), worldX(180)], [0, 0.5, 1]);
  t.is(worldY(0), 0.5);
  t.true(Math.abs(worldY(maxLatitude)) < 1e-12 && Math.abs(worldY(-maxLatitude) - 1) < 1e-12);
  t.deepEqual([worldY(90), worldY(-90)], [worldY(maxLatitude), worldY(-maxLatitude)]);
  t.is(worldSizePx(0), 256);
  t.is(worldSizePx(24), 2 ** 32);
  t.is(worldSizePx(0.5), 256 * Math.SQRT2);
  // A published example: Chicago's world coordinate is (65.67, 95.17) of 256.
  t.true(Math.abs(worldX(-87.65) * 256 - 65.671) < 1e-3);
  t.true(Math.abs(worldY(41.85) * 256 - 95.175) < 1e-3);
});

test('bbox: longitudes are one range, or two at the antimeridian', (t) => {
  t.deepEqual(longitudeRanges([1, 0, 2, 0]), [[1, 2]]);
  t.deepEqual(longitudeRanges([-180, 0, 180, 0]), [[-180, 180]]);
  t.deepEqual(longitudeRanges([170, 0, -170, 0]), [
    [170, 180],
    [-180, -170],
  ]);
  t.deepEqual(longitudeRanges([170, 0, 180, 0]), [
    [170, 180],
    [-180, -180],
  ]);
  t.deepEqual(longitudeRanges([-180, 0, -170, 0]), [
    [-180, -170],
    [180, 180],
  ]);
});

test('fold: folding twice changes nothing, and each character is folded by itself', (t) => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      t.is(foldName(foldName(a)), foldName(a));
      t.is(foldName(a + b), foldName(a) + foldName(b));
      // The way for rarer characters gives the same as the one for common ones.
      t.is(foldName(`${a}山`), `${foldName(a)}山`);
    }),
    { numRuns: rounds(250) },
  );
});

test('fold: case makes no difference for letters of European scripts', (t) => {
  for (let code = 0x41; code < 0x530; code += 1) {
    const letter = String.fromCharCode(code);
    if (!/^\p{L}$/u.test(letter)) continue;
    t.is(foldName(letter.toLowerCase()), foldName(letter), letter);
    t.is(foldName(letter.toUpperCase()), foldName(letter), letter);
  }
});

test('fold: compares by code point, as UTF-8 bytes do', (t) => {
  const text = fc.string({ unit: 'binary', maxLength: 6 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
      t.is(Math.sign(compareFolded(a, b)), bytes);
    }),
    { numRuns: rounds(250) },
  );
});
