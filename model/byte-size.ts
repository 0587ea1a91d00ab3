const units: Readonly<Record<string, number>> = {
  '': 1,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
};

/** Reads a size such as `500M`, `20G` or `1048576`, in powers of 1,024. @returns bytes; undefined for anything else. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,6})?) ?([KMGT]?)(?:i?B)?$/iu.exec(text.trim());
  if (match === null) return undefined;
  const bytes = Math.floor(Number(match[1]) * (units[(match[2] ?? '').toUpperCase()] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Writes a size as short as {@link parseByteSize} reads it exactly: `20G`, `1.5G`, `1000`. */
export function formatByteSize(bytes: number): string {
  const exact = Object.entries(units)
    .map(([unit, size]) => `${bytes / size}${unit}`)
    .filter((text) => parseByteSize(text) === bytes);
  return exact.toSorted((a, b) => a.length - b.length)[0] ?? String(bytes);
}
