import { limits } from '../../model/limits.ts';
import {
  fetchTransport,
  type Access,
  type HttpAnswer,
  type HttpRequest,
  type Transport,
} from './http.ts';
import { asRecord, type Operation } from './operation.ts';
import { staysOnOrigin, withoutQuery, withQuery } from './path.ts';
import { httpFailure, RequestFailure, sendFailure, timeoutFailure } from './request-failure.ts';
import { SignalBoard, type ListenerErrorHandler } from './signals.ts';
import type { CallContext, RequestOptions } from './types.ts';

/** Port and token of a daemon. */
export interface DaemonAccess {
  readonly apiPort: number;
  readonly apiToken: string;
  /** Whether the daemon's hand-over file promises a proof of who answers; `nodeTransport` asks for it. */
  readonly apiProves?: boolean | undefined;
}

/** Below zero the port says that there is no daemon: offline. */
export interface ServiceOptions extends Partial<DaemonAccess> {
  /**
   * Base address, when not this machine's loopback interface at `apiPort`: a same-origin proxy, say. The token is
   * sent there. Empty: the page's own origin.
   */
  readonly apiBase?: string;
  /**
   * Called when the daemon refuses the token or the connection: it may have been started anew. When that gives another
   * access, it is used from then on, and the request is sent once more.
   */
  readonly renewAccess?: () => Promise<DaemonAccess | undefined>;
  /** Gets what listeners and callbacks throw; without it that is an uncaught error, as with `EventTarget`. */
  readonly onListenerError?: ListenerErrorHandler;
  /** How requests are sent; by default with `fetch`. */
  readonly transport?: Transport;
}

/** The client timeout of the specification (section 8). */
const defaultTimeoutMs = 8_000;
/** The longest that timers take. */
const maxTimeoutMs = 2_147_483_647;

interface Outcome<T> {
  readonly result: T;
  /** The number of the change that was made. */
  readonly change?: number | undefined;
}

/** Where the API is, who listens, and how a request becomes a promise and signals. */
export class Requests extends SignalBoard {
  apiPort: number;
  apiToken: string;
  apiProves: boolean | undefined;
  apiBase: string | undefined;
  readonly #renewAccess: ServiceOptions['renewAccess'];
  readonly #transport: Transport;
  #renewing: Promise<void> | undefined;

  constructor({
    apiPort = limits.port,
    apiToken = '',
    apiProves,
    apiBase,
    renewAccess,
    onListenerError,
    transport = fetchTransport,
  }: ServiceOptions = {}) {
    super(onListenerError);
    this.apiPort = apiPort;
    this.apiToken = apiToken;
    this.apiProves = apiProves;
    this.apiBase = apiBase;
    this.#renewAccess = renewAccess;
    this.#transport = transport;
  }

  /**
   * Asks for any path of the API: one slash at the begin, and nothing that leads off its origin. Offline the result is
   * null.
   */
  request(path: string, options: RequestOptions = {}): Promise<unknown> {
    const { method = 'GET', body, timeout, context, onSuccess, onError } = options;
    const operation: Operation<unknown> = {
      call: `${method.toUpperCase()} ${path}`,
      body,
      timeoutMs: timeout,
      read: (value) => value,
      offline: () => null,
      refusal: staysOnOrigin(path)
        ? undefined
        : 'send error: the path must begin with one slash and stay on the origin of the API',
      onSuccess,
      onError,
    };
    return this.#promise(operation, context);
  }

  /** Asks for a method of its own name. */
  protected run<T>(operation: Operation<T>, method: string, args: readonly unknown[]): Promise<T> {
    const context: CallContext = { method, args: operation.args ?? args };
    return this.#promise(operation, context);
  }

  #promise<T>(operation: Operation<T>, context: unknown): Promise<T> {
    const promise = this.#perform(operation, context);
    // A caller that uses signals alone ignores the promise, which must not count as an unhandled rejection.
    promise.catch(() => undefined);
    return promise;
  }

  async #perform<T>(operation: Operation<T>, context: unknown): Promise<T> {
    const { call, refusal, started, succeeded, failed, onSuccess, onError } = operation;
    const isOffline = this.apiPort < 0;
    const kind = withoutQuery(call) + (isOffline ? ' (offline)' : '');
    if (started !== undefined && refusal === undefined) this.emit(started);
    let outcome: Outcome<T>;
    try {
      outcome = await this.#ask(operation, isOffline);
    } catch (error) {
      const failure = sendFailure(error);
      if (failed !== undefined) this.emit(failed(failure.message));
      this.emit(['requestFailed', kind, failure.message, context]);
      this.emit(['requestFailure', kind, failure, context]);
      if (onError !== undefined) this.guard(() => onError(failure.message));
      throw failure;
    }
    const { result, change } = outcome;
    for (const emission of succeeded?.(result) ?? []) this.emit(emission);
    this.emit(['requestSucceeded', kind, result, context]);
    if (change !== undefined) this.emit(['changeMade', change, kind, context]);
    if (onSuccess !== undefined) this.guard(() => onSuccess(result));
    return result;
  }

  /** Whatever it takes, the outcome comes after the method has returned. */
  async #ask<T>(operation: Operation<T>, isOffline: boolean): Promise<Outcome<T>> {
    if (operation.refusal !== undefined) throw new RequestFailure(operation.refusal);
    if (isOffline) return { result: simulate(operation) };
    const { call, query, body, content, asBytes, timeoutMs, read = asRecord<T> } = operation;
    const [method = '', path = ''] = call.split(/ (.*)/su);
    const request = { method, path: withQuery(path, query), body, content, asBytes };
    const { status, value, change } = await this.#exchange(request, usableTimeout(timeoutMs));
    const result = read(value);
    if (result !== undefined) return { result, change };
    throw httpFailure(status, typeof value === 'string' ? value : '');
  }

  /** Sends a request, and once more when the access was out of date: nothing has come of it then. */
  async #exchange(request: HttpRequest, timeoutMs: number): Promise<HttpAnswer> {
    const used = this.#access();
    try {
      return await this.#send(used, request, timeoutMs);
    } catch (error) {
      const isOutOfDate =
        error instanceof RequestFailure && (error.status === 401 || error.wasNotSent);
      if (!isOutOfDate || !(await this.#hasNewAccess(used))) throw error;
      return this.#send(this.#access(), request, timeoutMs);
    }
  }

  async #send(access: Access, request: HttpRequest, timeoutMs: number): Promise<HttpAnswer> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(timeoutFailure(timeoutMs)), timeoutMs);
    try {
      return await this.#transport(access, request, abort.signal);
    } catch (error) {
      throw sendFailure(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** One reading serves all requests that were refused together. */
  async #hasNewAccess(used: Access): Promise<boolean> {
    if (isSame(used, this.#access())) {
      this.#renewing ??= this.#readAccess().finally(() => (this.#renewing = undefined));
      await this.#renewing;
    }
    return !isSame(used, this.#access());
  }

  async #readAccess(): Promise<void> {
    // The refusal that led here is reported, not why no other access was found.
    const access = await this.#renewAccess?.().catch(() => undefined);
    if (access === undefined) return;
    this.apiPort = access.apiPort;
    this.apiToken = access.apiToken;
    this.apiProves = access.apiProves;
  }

  #access(): Access {
    const base = this.apiBase ?? `http://127.0.0.1:${this.apiPort}`;
    return { base: base.replace(/\/+$/u, ''), token: this.apiToken, proves: this.apiProves };
  }
}

function isSame(one: Access, other: Access): boolean {
  return one.base === other.base && one.token === other.token;
}

function simulate<T>({ offline }: Operation<T>): T {
  if (offline === undefined) throw new RequestFailure('offline');
  return offline();
}

function usableTimeout(timeoutMs = defaultTimeoutMs): number {
  return timeoutMs > 0 ? Math.min(timeoutMs, maxTimeoutMs) : defaultTimeoutMs;
}
