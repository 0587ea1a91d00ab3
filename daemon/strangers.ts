import type { Socket } from 'node:net';

/**
 * The connections whose clients have not shown that they know the token. There are at most so many that room stays for
 * the owner: one more ends the oldest of them.
 */
export class Strangers {
  /** The oldest first. */
  readonly #sockets = new Set<Socket>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** To be called with each new connection. */
  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // After the sockets had their turn: the token of the oldest may have arrived.
    if (this.#sockets.size > this.#max) setImmediate(() => this.#makeRoom());
  }

  /** To be called when the client has shown that it knows the token. */
  admit(socket: Socket): void {
    this.#sockets.delete(socket);
  }

  #makeRoom(): void {
    for (const socket of this.#sockets) {
      if (this.#sockets.size <= this.#max) return;
      this.#sockets.delete(socket);
      socket.destroy();
    }
  }
}
