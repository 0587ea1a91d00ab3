import type { Query } from './path.ts';
import type { PlaceInput } from './types.ts';

/** One signal with its arguments. */
export type Emission = readonly [name: string, ...args: unknown[]];

/** One specialised method: what it asks, what it makes of the answer, and which signals tell of it. */
export interface Operation<
  T,
  Started extends Emission = Emission,
  Succeeded extends Emission = Emission,
  Failed extends Emission = Emission,
> {
  /** Method and path, such as `GET /api/tags`. */
  readonly call: string;
  /** The arguments in the signals' context, where they differ from the call's. */
  readonly args?: readonly unknown[];
  readonly query?: Query;
  readonly body?: unknown;
  /** Sent as it is, in place of JSON. */
  readonly content?: Uint8Array<ArrayBuffer>;
  /** Hands `read` the bytes of the answer. */
  readonly asBytes?: true;
  /** Without it the default of the specification. */
  readonly timeoutMs?: number | undefined;
  /**
   * Makes the result of the answer's JSON (null for an empty body, a string for one that is not JSON). Only its outermost
   * shape is looked at: the daemon checks its answers against their schemas itself. Without it the answer is an object.
   * @returns undefined when nothing can be made of it: the request then counts as failed.
   */
  readonly read?: (value: unknown) => T | undefined;
  /** The result without a daemon; where it is missing, the method fails with `offline`. */
  readonly offline?: () => T;
  /** Why there is nothing to ask; the method then fails with this text. */
  readonly refusal?: string | undefined;
  readonly started?: Started;
  readonly succeeded?: (result: T) => readonly Succeeded[];
  readonly failed?: (message: string) => Failed;
  /** The caller's own, called after the signals. */
  readonly onSuccess?: ((result: T) => void) | undefined;
  readonly onError?: ((message: string) => void) | undefined;
}

/** Writes down an operation of this result; its signals, with the types of their arguments, are those that it names. */
export function operation<T>() {
  return <
    const Started extends Emission = never,
    const Succeeded extends Emission = never,
    const Failed extends Emission = never,
  >(
    spec: Operation<T, Started, Succeeded, Failed>,
  ) => spec;
}

/** Writes down the operation on one waypoint whose result is that waypoint, also offline. */
export function placeOperation<
  const Started extends string,
  const Succeeded extends string,
  const Failed extends string,
>({
  call,
  waypoint,
  signals,
}: {
  readonly call: string;
  readonly waypoint: PlaceInput;
  readonly signals: readonly [started: Started, succeeded: Succeeded, failed: Failed];
}) {
  const [started, succeeded, failed] = signals;
  const { name, lat, lon } = waypoint;
  return operation<PlaceInput>()({
    call,
    query: { name, lat, lon },
    read: () => waypoint,
    offline: () => waypoint,
    started: [started, waypoint],
    succeeded: () => [[succeeded, waypoint]],
    failed: (message) => [failed, waypoint, message],
  });
}

/** The list that an answer is. */
export function asList<T>(value: unknown): T[] {
  // Sound as far as the daemon keeps to its schemas.
  return Array.isArray(value) ? (value as T[]) : [];
}

/** The object that an answer is; undefined for anything else. Sound as far as the daemon keeps to its schemas. */
export function asRecord<T>(value: unknown): T | undefined {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? (value as T) : undefined;
}
