import { effect, signal, type Signal } from '@preact/signals';
import { away, revision, sentenceOf } from './service.ts';

/** State of something that is fetched. */
export type Loaded<T> =
  | { readonly state: 'none' }
  | {
      readonly state: 'loading';
      /** How far it is, of 1, where that is known. */
      readonly share?: number;
      readonly cancel: () => void;
    }
  | { readonly state: 'failed'; readonly sentence: string; readonly again: () => void }
  | { readonly state: 'ready'; readonly value: T };

/** Fetches something, until the signal is aborted, and tells how far that is, of 1. */
export type Fetch<T> = (abort: AbortSignal, tell: (share: number) => void) => Promise<T>;

/**
 * Keeps what is shown true: it is fetched anew when what `wanted` reads changes, when what is stored does, and when the
 * daemon is back. What was there before stays until the new is, and what is given up changes nothing.
 * @param wanted undefined while nothing is.
 * @param isOther whether what was there before is of something else, and goes at once.
 */
export function keepLoaded<T>(
  shown: Signal<Loaded<T>>,
  wanted: () => Fetch<T> | undefined,
  isOther: (value: T) => boolean = () => false,
): () => void {
  const tries = signal(0);
  return effect(() => {
    void [revision.value, tries.value];
    const fetchIt = away.value === undefined ? wanted() : undefined;
    if (fetchIt === undefined) return;
    const abort = new AbortController();
    const again = (): void => void (tries.value += 1);
    const fail = (sentence: string): void => {
      if (!abort.signal.aborted) shown.value = { state: 'failed', sentence, again };
    };
    const cancel = (): void => {
      fail('Cancelled.');
      abort.abort();
    };
    const tell = (share: number): void => {
      if (!abort.signal.aborted && shown.peek().state === 'loading')
        shown.value = { state: 'loading', share, cancel };
    };
    const before = shown.peek();
    if (before.state !== 'ready' || isOther(before.value))
      shown.value = { state: 'loading', cancel };
    fetchIt(abort.signal, tell).then(
      (value) => {
        if (!abort.signal.aborted) shown.value = { state: 'ready', value };
      },
      (error: unknown) => fail(sentenceOf(error)),
    );
    return () => abort.abort();
  });
}
