import type { Emission, Operation } from './operation.ts';
import type * as operations from './operations/all.ts';
import type { RequestFailure } from './request-failure.ts';

type Operations = typeof operations;

type OperationSignal = SignalsOf<ReturnType<Operations[keyof Operations]>>;
type SignalsOf<Asked> =
  Asked extends Operation<infer _, infer Started, infer Succeeded, infer Failed>
    ? Started | Succeeded | Failed
    : never;

/** Every signal with its arguments: those of all requests, and those of the operations. */
export type WaypointSignals = {
  requestSucceeded: [kind: string, result: unknown, context: unknown];
  requestFailed: [kind: string, errorMessage: string, context: unknown];
  /** With `requestFailed`: the failure itself, whose `sentence` can be shown to a person. */
  requestFailure: [kind: string, failure: RequestFailure, context: unknown];
  /** A request has changed something: the number of the change, for `undoChange`. */
  changeMade: [change: number, kind: string, context: unknown];
} & {
  [Signal in OperationSignal as Signal[0]]: Signal extends readonly [string, ...infer Args]
    ? Args
    : never;
};

export type SignalName = keyof WaypointSignals;
export type SignalListener<Name extends SignalName> = (...args: WaypointSignals[Name]) => void;

/** Gets what a listener has thrown. */
export type ListenerErrorHandler = (error: unknown) => void;

type AnyListener = (...args: readonly unknown[]) => void;

/** Knows who listens to which signal and calls them; no listener can keep another one from being called. */
export class SignalBoard {
  readonly #listeners = new Map<SignalName, Set<AnyListener>>();
  readonly #onListenerError: ListenerErrorHandler;

  constructor(onListenerError: ListenerErrorHandler = throwLater) {
    this.#onListenerError = onListenerError;
  }

  /**
   * Has a listener called at every emission from now on; one that is subscribed twice is called once.
   * @returns the function that ends the subscription.
   */
  subscribe<Name extends SignalName>(name: Name, listener: SignalListener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    // Sound: a listener of `name` is called with the arguments of `name` only.
    this.#listeners.set(name, listeners.add(listener as AnyListener));
    return () => this.unsubscribe(name, listener);
  }

  unsubscribe<Name extends SignalName>(name: Name, listener: SignalListener<Name>): void {
    this.#listeners.get(name)?.delete(listener as AnyListener);
  }

  /** Calls the listeners of a signal in the order of their subscription. */
  protected emit([name, ...args]: Emission): void {
    // Sound: operations define the names.
    const listeners = this.#listeners.get(name as SignalName);
    // A listener added during an emission is called from the next one on, a removed one not any more.
    const present = [...(listeners ?? [])];
    for (const listener of present) {
      if (listeners?.has(listener) === true) this.guard(() => listener(...args));
    }
  }

  /** Calls something of the caller's; what it throws goes where errors of listeners go. */
  protected guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#onListenerError(error);
    }
  }
}

/** Throws a listener's error uncaught, as `EventTarget` does, but after our own work. */
function throwLater(error: unknown): void {
  setTimeout(() => {
    throw error;
  });
}
