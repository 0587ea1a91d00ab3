import type { Socket } from 'node:net';

interface Stranger {
  readonly socket: Socket;
  readonly group: string;
}

/**
 * The connections whose clients have not shown who they are. There are at most so many of one group that room stays for the
 * others: one more ends the oldest of them.
 */
export class Strangers {
  /** By the client's address and port, as TLS hides the socket that was accepted. The oldest first. */
  readonly #strangers = new Map<string, Stranger>();
  readonly #max: number;
  readonly #groupOf: (address: string) => string | undefined;

  /**
   * @param max connections of one group
   * @param groupOf by the address; undefined where any number is welcome. By default there is one group.
   */
  constructor(max: number, groupOf: (address: string) => string | undefined = () => '') {
    this.#max = max;
    this.#groupOf = groupOf;
  }

  /** To be called with each new connection. */
  add(socket: Socket): void {
    const { remoteAddress } = socket;
    // It may be gone already.
    const group = remoteAddress === undefined ? undefined : this.#groupOf(remoteAddress);
    if (group === undefined) return;
    const key = keyOf(socket);
    this.#strangers.delete(key);
    this.#strangers.set(key, { socket, group });
    socket.once('close', () => this.#strangers.delete(key));
    // After the sockets had their turn: the oldest may have shown it by now.
    if (this.#surplusOf(group).length > 0) setImmediate(() => this.#makeRoom(group));
  }

  /** To be called when the client has shown who it is. */
  admit(socket: Socket): void {
    this.#strangers.delete(keyOf(socket));
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

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
