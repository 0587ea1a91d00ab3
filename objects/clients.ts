import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from '../http/context.ts';
import { connectionKey, Strangers } from '../http/strangers.ts';
import { WaypointError } from '../model/failure.ts';
import { clientAddress, networkOf, plainAddress } from './client-address.ts';
import type { ObjectsConfig } from './config.ts';
import { spread } from './request-limiter.ts';

/**
 * Shares the connections of a server among its clients. Without a login they count for their address, and one more than its share
 * ends its oldest; with one they count for the user alone, from whatever address, and one more than the share is refused.
 */
export class Clients {
  readonly #share: number;
  readonly #config: ObjectsConfig;
  readonly #strangers: Strangers;
  /** Connections of users with the answer to the newest request, by {@link connectionKey}, the oldest first. */
  readonly #users = new Map<string, { userId: number; socket: Socket; res: ServerResponse }>();

  /** @param share connections of one client */
  constructor(share: number, config: ObjectsConfig) {
    this.#share = share;
    this.#config = config;
    this.#strangers = new Strangers(share);
  }

  /** Counts a new connection for its address; a proxy's is no one's until a request comes. */
  connect(socket: Socket): void {
    const { remoteAddress } = socket;
    // It may be gone already.
    if (remoteAddress === undefined) return;
    const key = connectionKey(socket);
    socket.once('close', () => this.#users.delete(key));
    if (this.#isProxy(remoteAddress)) return;
    this.#strangers.add(socket, networkOf(plainAddress(remoteAddress)));
  }

  /** Counts a connection of the proxy for the client whose request it brings, until that is answered. */
  ask(ctx: Context): void {
    if (!this.#isProxy(ctx.ip)) return;
    const { socket } = ctx.req;
    const key = connectionKey(socket);
    this.#strangers.add(socket, networkOf(clientAddress(ctx, this.#config)));
    ctx.res.once('close', () => {
      this.#strangers.admit(socket);
      this.#users.delete(key);
    });
  }

  /**
   * Counts a connection for its user. In place of one more than the share goes an idle one.
   * @throws WaypointError busy where all are in use; the connection stays a stranger's then.
   */
  admit({ req: { socket }, res }: Context, userId: number): void {
    const key = connectionKey(socket);
    if (this.#users.get(key)?.userId !== userId) this.#makeRoom(userId);
    this.#users.delete(key);
    this.#users.set(key, { userId, socket, res });
    this.#strangers.admit(socket);
  }

  /** @throws WaypointError busy */
  #makeRoom(userId: number): void {
    const own = [...this.#users.values()].filter((connection) => connection.userId === userId);
    if (own.length < this.#share) return;
    const idle = own.find(({ res }) => res.writableFinished);
    if (idle === undefined) throw new WaypointError('busy', { retryAfterSeconds: spread(1) });
    idle.socket.destroy();
  }

  #isProxy(address: string): boolean {
    return plainAddress(address) === this.#config.trustedProxy;
  }
}
