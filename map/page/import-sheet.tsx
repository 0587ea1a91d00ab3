import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { details, findings, headline, ownBookmarks } from '../../client/waypoints/import-words.ts';
import { IconButton } from './parts.tsx';
import { outcome, type Outcome } from './uploads.ts';
import { several } from './words.ts';

/** Longer lists are folded. */
const shownLines = 20;

/** Says what the latest import of this page took in, what it did not, and why. */
export function ImportSheet({ of }: { readonly of: Outcome }): JSX.Element {
  const { sum, unsent, isStopped } = of;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [sum]);
  const sent = `${several(unsent.length, 'file was', 'files were')} not taken`;
  const all = [...details(sum), ...findings(sum), { title: sent, lines: unsent }];
  return (
    <section aria-label="What came in">
      <div class="row">
        <h2 class="grow" tabIndex={-1} ref={heading}>
          {sum.results.length === 0 ? 'Nothing was imported.' : headline(sum)}
        </h2>
        <IconButton sign="×" label="Close" onClick={() => (outcome.value = undefined)} />
      </div>
      {isStopped && <p>Stopped before the end. Finished files are kept.</p>}
      {all.map(({ title, lines }) => {
        if (lines.length === 0) return lines !== unsent && <p class="hint">{title}</p>;
        return (
          <details key={title} open={lines.length <= shownLines}>
            <summary>{title}</summary>
            <ul class="hint files">
              {lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        );
      })}
      <p class="hint">{ownBookmarks(sum, 'waypointd')}</p>
    </section>
  );
}
