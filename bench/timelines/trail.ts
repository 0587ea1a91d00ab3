import { wrapped, type Position } from './geometry.ts';

/** Where somebody really was at every moment: straight and steady between knots. */
export class Trail {
  readonly #times: number[] = [];
  readonly #positions: Position[] = [];
  /** Where the last look was, as looks go forward. */
  #cursor = 0;

  get startMs(): number {
    return this.#times[0]!;
  }

  get endMs(): number {
    return this.#times.at(-1)!;
  }

  /** @param timeMs not before the last one. */
  add(timeMs: number, position: Position): void {
    this.#times.push(timeMs);
    this.#positions.push(position);
  }

  /** @param timeMs within the trail; fast when it is near the last one asked for. */
  at(timeMs: number): Position {
    const times = this.#times;
    if (times[this.#cursor]! > timeMs) this.#cursor = 0;
    while (this.#cursor + 2 < times.length && times[this.#cursor + 1]! <= timeMs) this.#cursor += 1;
    const [from, to] = [times[this.#cursor]!, times[this.#cursor + 1]!];
    const [a, b] = [this.#positions[this.#cursor]!, this.#positions[this.#cursor + 1]!];
    const share = to > from ? (timeMs - from) / (to - from) : 0;
    return {
      lat: a.lat + (b.lat - a.lat) * share,
      lon: wrapped(a.lon + wrapped(b.lon - a.lon) * share),
    };
  }
}
