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
  readonly #sizes = new Map<string, number>();
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
    this.#forget(key);
    this.#strangers.set(key, { socket, group });
    const size = (this.#sizes.get(group) ?? 0) + 1;
    this.#sizes.set(group, size);
    socket.once('close', () => this.#forget(key));
    // After the sockets had their turn: the oldest may have shown it by now.
    if (size > this.#max) setImmediate(() => this.#makeRoom(group));
  }

  /** To be called when the client has shown who it is. */
  admit(socket: Socket): void {
    if (this.#strangers.size > 0) this.#forget(keyOf(socket));
  }

  #forget(key: string): void {
    const stranger = this.#strangers.get(key);
    if (stranger === undefined) return;
    this.#strangers.delete(key);
    const left = (this.#sizes.get(stranger.group) ?? 1) - 1;
    if (left === 0) this.#sizes.delete(stranger.group);
    else this.#sizes.set(stranger.group, left);
  }

  #makeRoom(group: string): void {
    for (const [key, stranger] of this.#strangers) {
      if ((this.#sizes.get(group) ?? 0) <= this.#max) return;
      if (stranger.group !== group) continue;
      this.#forget(key);
      stranger.socket.destroy();
    }
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
