/** Colours of the map; those of the page are in style.css. */
const palettes = {
  light: {
    sea: '#cfdfe6',
    land: '#f6f4ee',
    border: '#bdb4a5',
    name: '#5d6166',
    town: '#777b80',
    halo: '#f6f4ee',
    track: '#d2452d',
    route: '#8b5cb8',
    day: '#1f5fc4',
    casing: '#ffffff',
    bookmark: '#0b7a6b',
    waypoint: '#4f7d94',
    text: '#22262a',
  },
  dark: {
    sea: '#141b21',
    land: '#222a30',
    border: '#46525b',
    name: '#b3bcc4',
    town: '#8d979f',
    halo: '#1b2228',
    track: '#ff7a5c',
    route: '#b795e0',
    day: '#7db0ff',
    casing: '#10161b',
    bookmark: '#35c4ad',
    waypoint: '#84b6cf',
    text: '#eef2f5',
  },
} as const;
export type Palette = Record<keyof (typeof palettes)['light'], string>;

export function paletteOf(isDark: boolean): Palette {
  return isDark ? palettes.dark : palettes.light;
}

/** A size that grows with the zoom. */
export function scaled(zoom: number, size: number, nextZoom: number, nextSize: number): never {
  return ['interpolate', ['linear'], ['zoom'], zoom, size, nextZoom, nextSize] as never;
}
