import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { details, findings, headline, ownBookmarks } from '../../client/waypoints/import-words.ts';
import { IconButton } from './parts.tsx';
import { outcome, type Outcome } from './uploads.ts';
import { several } from './words.ts';

/** Longer lists are folded. */
const shownLines = 8;

/** Says what the latest import of this page took in, what it did not, and why. */
export function ImportSheet({ of: { sum, unsent, isStopped } }: { readonly of: Outcome }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [sum]);
  const bookmarks = ownBookmarks(sum, 'waypointd');
  const sent = `${several(unsent.length, 'file was', 'files were')} not taken`;
  return (
    <section class="sheet" aria-label="What came in">
      <div class="row">
        <h2 class="grow" tabIndex={-1} ref={heading}>
          {sum.results.length === 0 ? 'Nothing was imported.' : headline(sum)}
        </h2>
        <IconButton sign="×" label="Close" onClick={() => (outcome.value = undefined)} />
      </div>
      {isStopped && <p>Stopped before the end. Finished files are kept.</p>}
      <ul class="hint">
        {details(sum).map(({ title, lines }) => (
          <li key={title}>
            <Lines title={title} lines={lines} />
          </li>
        ))}
      </ul>
      {[...findings(sum), { title: sent, lines: unsent }].map(({ title, lines }) => (
        <Lines key={title} title={title} lines={lines} />
      ))}
      {bookmarks !== undefined && <p class="hint">{bookmarks}</p>}
    </section>
  );
}

interface LinesProps {
  readonly title: string;
  readonly lines: readonly string[];
}

function Lines({ title, lines }: LinesProps): JSX.Element | null {
  if (lines.length === 0) return title.startsWith('0 ') ? null : <>{title}</>;
  return (
    <details open={lines.length <= shownLines}>
      <summary>{title}</summary>
      <ul class="hint files">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}
