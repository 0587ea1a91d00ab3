import { connect, type Socket } from 'node:net';

/** A client that reads the beginning of an answer and then nothing more, without hanging up; {@link stop} has to be called. */
export class SlowReader {
  /** Of the answer that has begun. */
  readonly status: number;
  readonly #socket: Socket;

  private constructor(socket: Socket, status: number) {
    this.#socket = socket;
    this.status = status;
  }

  /** Sends a request and waits for the first bytes of its answer. */
  static ask(port: number, request: Buffer): Promise<SlowReader> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      const fail = (error?: Error): void => {
        reject(error ?? new Error('the connection was closed before an answer'));
      };
      socket.once('error', fail);
      socket.once('close', () => fail());
      socket.once('data', (data: Buffer) => {
        socket.pause();
        // The server may reset it later: that is its right.
        socket.off('error', fail).on('error', () => undefined);
        resolve(new SlowReader(socket, Number(data.toString('latin1', 9, 12))));
      });
      socket.write(request);
    });
  }

  stop(): Promise<void> {
    this.#socket.destroy();
    return Promise.resolve();
  }
}
