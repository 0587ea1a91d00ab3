import type { Exchange } from './exchange.ts';
import type { BytesAnswer } from './route.ts';

/** One read and one write of this size each. */
const pieceBytes = 524_288;

/**
 * Sends bytes from two buffers in turn: one is filled while the other goes out. The head goes out with the first piece, so that
 * an error before it is still answered as one. Node's own timer ends a connection whose reader takes nothing for
 * `drainTimeoutMs`; it sees progress within a piece.
 */
export async function sendBytes(
  exchange: Exchange,
  answer: BytesAnswer,
  headers: string[],
  drainTimeoutMs: number,
): Promise<void> {
  const { res } = exchange;
  const { length } = answer;
  const buffers = new Buffers(answer);
  try {
    if (exchange.isOver) return;
    if (length === 0) res.writeHead(answer.status, headers).end();
    while (buffers.handed < length) {
      const piece = await buffers.next();
      if (res.destroyed) return;
      if (!res.headersSent) res.writeHead(answer.status, headers);
      if (!(await hand(exchange, piece, buffers.handed === length, drainTimeoutMs))) return;
    }
  } finally {
    await buffers.settled();
    answer.close(buffers.handed);
  }
}

/** Two buffers, one of which is being filled. */
class Buffers {
  readonly #answer: BytesAnswer;
  #handed = 0;
  #current: Uint8Array;
  #other: Uint8Array;
  #filling: Promise<Uint8Array> | undefined;

  constructor(answer: BytesAnswer) {
    this.#answer = answer;
    // Slow: memory of its own instead of a slice of the pool that everything small shares.
    this.#current = Buffer.allocUnsafeSlow(Math.min(answer.length, pieceBytes));
    const isOneEnough = answer.length <= pieceBytes;
    this.#other = isOneEnough ? this.#current : Buffer.allocUnsafeSlow(pieceBytes);
  }

  /** How many bytes {@link next} has given. */
  get handed(): number {
    return this.#handed;
  }

  /** The next bytes, good until the call after this one; begins to read those after them. */
  async next(): Promise<Uint8Array> {
    const piece = await (this.#filling ?? this.#fill());
    this.#handed += piece.length;
    [this.#current, this.#other] = [this.#other, this.#current];
    this.#filling = this.#handed < this.#answer.length ? this.#fill() : undefined;
    // Nobody looks at it before the next call, if there is one.
    this.#filling?.catch(() => undefined);
    return piece;
  }

  /** Resolves when nothing is being read any more: a file must not be closed under a read. */
  async settled(): Promise<void> {
    await this.#filling?.catch(() => undefined);
  }

  async #fill(): Promise<Uint8Array> {
    const { length, read } = this.#answer;
    const wanted = this.#current.subarray(0, length - this.#handed);
    const count = await read(wanted, this.#handed);
    if (count !== wanted.length) throw new Error('A file ended before its time.');
    return wanted;
  }
}

/** Hands a piece to the connection. @returns whether it was taken, so that its buffer is free; false where the client is gone. */
function hand(
  { req: { socket }, res }: Exchange,
  piece: Uint8Array,
  isLast: boolean,
  drainTimeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = (): void => resolve(res.writableFinished);
    const onTaken = (): void => {
      res.off('close', onClose);
      // After the last one Node has set it for the pause before the next request.
      if (!isLast) socket.setTimeout(0);
      resolve(!res.destroyed || res.writableFinished);
    };
    res.once('close', onClose);
    if (isLast) res.end(piece, onTaken);
    else res.write(piece, onTaken);
    if (res.writableLength > 0) socket.setTimeout(drainTimeoutMs);
  });
}
