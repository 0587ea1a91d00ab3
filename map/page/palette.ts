/** Colours of the map, light and dark; those of the page are in style.css. */
const pairs = {
  sea: ['#cfdfe6', '#141b21'],
  land: ['#f6f4ee', '#222a30'],
  border: ['#bdb4a5', '#46525b'],
  name: ['#5d6166', '#b3bcc4'],
  town: ['#777b80', '#8d979f'],
  halo: ['#f6f4ee', '#1b2228'],
  track: ['#d2452d', '#ff7a5c'],
  route: ['#8b5cb8', '#b795e0'],
  day: ['#1f5fc4', '#7db0ff'],
  casing: ['#ffffff', '#10161b'],
  bookmark: ['#0b7a6b', '#35c4ad'],
  waypoint: ['#4f7d94', '#84b6cf'],
  text: ['#22262a', '#eef2f5'],
} as const;
export type Palette = Readonly<Record<keyof typeof pairs, string>>;

export function paletteOf(isDark: boolean): Palette {
  const chosen = Object.entries(pairs).map(([name, pair]) => [name, pair[isDark ? 1 : 0]]);
  // Sound: it has the same names.
  return Object.fromEntries(chosen) as Palette;
}

/** A size that grows with the zoom. */
export function scaled(zoom: number, size: number, nextZoom: number, nextSize: number): never {
  return ['interpolate', ['linear'], ['zoom'], zoom, size, nextZoom, nextSize] as never;
}
