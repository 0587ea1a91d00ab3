import type { Signal } from '@preact/signals';
import { sentenceOf } from './service.ts';

/** What is shown of something that is fetched. */
export type Loaded<T> =
  | { readonly state: 'none' }
  /** `share`, of 1, is how far it is, where that is known. */
  | { readonly state: 'loading'; readonly share?: number | undefined }
  | { readonly state: 'failed'; readonly sentence: string }
  | { readonly state: 'ready'; readonly value: T };

/** Tells how far something is, of 1. */
export type Tell = (share: number) => void;

/** Fetches what is shown; what was there before stays until the new is, and what is given up changes nothing. */
export async function fetchInto<T>(
  shown: Signal<Loaded<T>>,
  fetchIt: (tell: Tell) => Promise<T>,
  abort?: AbortSignal,
): Promise<void> {
  if (shown.peek().state !== 'ready') shown.value = { state: 'loading' };
  try {
    const value = await fetchIt((share) => {
      if (shown.peek().state === 'loading') shown.value = { state: 'loading', share };
    });
    if (abort?.aborted !== true) shown.value = { state: 'ready', value };
  } catch (error) {
    if (abort?.aborted !== true) shown.value = { state: 'failed', sentence: sentenceOf(error) };
  }
}
