import type { IncomingMessage } from 'node:http';
import type { HttpLimits } from './http-limits.ts';

/** Watches how fast the bytes of a body come. The time that it takes to store them is not the client's. */
export class Pace {
  readonly #slowMs: number;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #storedMs = 0;
  #storingSince: number | undefined;
  #isOver = false;

  /** @param onSlow called when fewer than `slowBodyBytes` have come in `slowBodyMs`. */
  constructor(req: IncomingMessage, { slowBodyMs, slowBodyBytes }: HttpLimits, onSlow: () => void) {
    this.#slowMs = slowBodyMs;
    req.on('data', (piece: Uint8Array) => (this.#bytes += piece.length));
    const look = (): void => {
      if (!this.#isOver && this.#isClients() && this.#bytes < slowBodyBytes) onSlow();
      this.#bytes = 0;
    };
    // After the sockets had their turn: this thread may have been stuck all the time.
    this.#timer = setInterval(() => setImmediate(look), slowBodyMs);
  }

  /** To be called before a piece is stored, and with false afterwards. */
  store(isBegin: boolean): void {
    const now = performance.now();
    if (this.#storingSince !== undefined) this.#storedMs += now - this.#storingSince;
    this.#storingSince = isBegin ? now : undefined;
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
  }

  /** Whether the time since the last look was mostly the client's. */
  #isClients(): boolean {
    this.store(this.#storingSince !== undefined);
    const storedMs = this.#storedMs;
    this.#storedMs = 0;
    return storedMs < this.#slowMs / 2;
  }
}
