import { isOver, type Context } from '../http/context.ts';

/** One read and one write of this size each. */
const pieceBytes = 524_288;

/** Buffers for small contents, used again once one is sent: a new one for each costs half as much CPU more, for garbage. */
const spare: Buffer[] = [];
const spareBytes = 65_536;
const mostSpare = 64;

/** Bytes to send. */
interface Bytes {
  /** How many. */
  readonly length: number;
  /** Fills a buffer with the bytes from `at` on. @returns how many were read: all that fit, or what is left. */
  readonly read: (buffer: Uint8Array, at: number) => Promise<number>;
  /** @param sent how many bytes were handed to the connection. */
  readonly close: (sent: number) => void;
}

/**
 * Sends bytes from two buffers in turn: one is filled while the other goes out. The head goes out with the first piece,
 * so that an error before it is still answered as one. Calls `close` exactly once. A stream of Node's would need twice the CPU.
 */
export async function sendBytes(
  ctx: Context,
  begin: () => unknown,
  { length, read, close }: Bytes,
): Promise<void> {
  // Slow: memory of its own instead of a slice of the pool that everything small shares.
  const small =
    length > spareBytes ? undefined : (spare.pop() ?? Buffer.allocUnsafeSlow(spareBytes));
  let current = small ?? Buffer.allocUnsafeSlow(Math.min(length, pieceBytes));
  let other = length <= pieceBytes ? current : Buffer.allocUnsafeSlow(pieceBytes);
  const fill = async (at: number): Promise<Uint8Array> => {
    const wanted = current.subarray(0, length - at);
    if ((await read(wanted, at)) !== wanted.length) throw new Error('A file ended too early.');
    return wanted;
  };
  let handed = 0;
  let filling: Promise<Uint8Array> | undefined;
  try {
    if (isOver(ctx)) return;
    if (length === 0) {
      begin();
      ctx.res.end();
    } else filling = fill(0);
    while (filling !== undefined) {
      const piece = await filling;
      filling = undefined;
      if (ctx.res.destroyed) return;
      begin();
      handed += piece.length;
      if (handed === length) {
        const { res } = ctx;
        res.end(piece, () => {
          const isSent = res.writableFinished && !res.destroyed;
          if (small !== undefined && isSent && spare.length < mostSpare) spare.push(small);
        });
        return;
      }
      [current, other] = [other, current];
      filling = fill(handed);
      // It is looked at after this piece, if the client is still there then.
      filling.catch(() => undefined);
      if (!(await hand(ctx, piece))) return;
    }
  } finally {
    // A file must not be closed under a read.
    await filling?.catch(() => undefined);
    close(handed);
  }
}

/** Hands a piece to the connection. @returns whether it was taken, so that its buffer is free; false where the client is gone. */
function hand({ res }: Context, piece: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = (): void => resolve(false);
    res.once('close', onClose);
    res.write(piece, () => {
      res.off('close', onClose);
      resolve(!res.destroyed);
    });
  });
}
