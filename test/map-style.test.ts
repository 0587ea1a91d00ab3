/** The style document of the map: what MapLibre's own specification says of it, and that all that is filled in has a value. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateStyleMin, type StyleSpecification } from '@maplibre/maplibre-gl-style-spec';
import test from 'ava';

const file = join(import.meta.dirname, '..', 'map', 'page', 'style.json');
const style = JSON.parse(readFileSync(file, 'utf8'));
const { colours } = style.metadata as { colours: Record<string, readonly [string, string]> };
/** What map-style.ts fills in beside the colours, as it may be. */
const others: Readonly<Record<string, unknown>> = {
  lines: '#d2452d',
  opacity: 0.4,
  coarse: 24,
  tiles: ['/api/tiles/{z}/{x}/{y}.mvt?layers=tracks,points,routes'],
};

for (const [index, shade] of ['light', 'dark'].entries()) {
  test(`the ${shade} style is one by the specification of MapLibre, and uses each colour`, (t) => {
    const used = new Set<string>();
    const fill = (_: string, value: unknown): unknown => {
      if (typeof value !== 'string' || !value.startsWith('@')) return value;
      const name = value.slice(1);
      used.add(name);
      return colours[name]?.[index] ?? others[name];
    };
    const filled = JSON.parse(JSON.stringify(style), fill) as StyleSpecification;
    // Letters are drawn with the fonts of the machine: there is no `glyphs` address, which `text-field` would ask for.
    const complaints = validateStyleMin({ ...filled, glyphs: '/{fontstack}/{range}' });
    t.deepEqual(complaints, []);
    t.deepEqual([...used].toSorted(), [...Object.keys(colours), ...Object.keys(others)].toSorted());
  });
}
