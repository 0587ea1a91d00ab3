import type { Socket } from 'node:net';

interface Stranger {
  readonly socket: Socket;
  readonly group: string;
}

/**
 * The connections whose clients have not shown who they are, in groups. A group has at most so many that room stays for the
 * others: one more ends its oldest.
 */
export class Strangers {
  /** By {@link connectionKey}, the oldest first. */
  readonly #strangers = new Map<string, Stranger>();
  readonly #max: number;
  readonly #watched = new WeakSet<Socket>();

  /** @param max connections of one group */
  constructor(max: number) {
    this.#max = max;
  }

  /** To be called with each new connection; again where it turns out to be another group's. */
  add(socket: Socket, group = ''): void {
    if (socket.destroyed) return;
    const key = connectionKey(socket);
    this.#strangers.delete(key);
    this.#strangers.set(key, { socket, group });
    if (!this.#watched.has(socket)) socket.once('close', () => this.#strangers.delete(key));
    this.#watched.add(socket);
    // After the sockets had their turn: the oldest may have shown it by now.
    if (this.#surplusOf(group).length > 0) setImmediate(() => this.#makeRoom(group));
  }

  /** To be called when the client has shown who it is. */
  admit(socket: Socket): void {
    this.#strangers.delete(connectionKey(socket));
  }

  /** The oldest of a group, of which there are too many. */
  #surplusOf(group: string): [key: string, stranger: Stranger][] {
    const own = [...this.#strangers].filter(([, stranger]) => stranger.group === group);
    return own.slice(0, Math.max(0, own.length - this.#max));
  }

  #makeRoom(group: string): void {
    for (const [key, { socket }] of this.#surplusOf(group)) {
      this.#strangers.delete(key);
      socket.destroy();
    }
  }
}

/** The name of an open connection, over TLS too: there requests have another socket than the one that was accepted. */
export function connectionKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
