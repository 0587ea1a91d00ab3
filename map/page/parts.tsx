import type { JSX } from 'preact';

/** Says that something is being fetched, where its content will be. */
export function Waiting({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="hint waiting" role="status">
      Loading {what} …
    </p>
  );
}

export function Failed({ sentence }: { readonly sentence: string }): JSX.Element {
  return (
    <p class="failed" role="alert">
      {sentence}
    </p>
  );
}

/** What a field of a form holds. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
