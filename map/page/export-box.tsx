import type { JSX, TargetedSubmitEvent } from 'preact';
import { Choice } from './parts.tsx';
import { session } from './service.ts';
import { notify } from './state.ts';

const formats = 'GPX GeoJSON KML CSV'.split(' ').map((name) => [name.toLowerCase(), name] as const);

/** A part of what is stored. */
export interface Scope {
  readonly name: string;
  /** The query of `GET /api/export`. */
  readonly query: Readonly<Record<string, string>>;
}

/** Saves what is chosen as a file of the browser. */
export function ExportBox({ scopes }: { readonly scopes: readonly Scope[] }): JSX.Element {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const scope = scopes[Number(form.get('scope') ?? 0)];
    if (scope === undefined) return;
    save(scope, form.get('format') as string).catch((error: unknown) =>
      notify(`Not exported: ${String(error)}`, { isError: true }),
    );
  };
  return (
    <form class="row" aria-label="Export" onSubmit={submit}>
      {scopes.length > 1 && (
        <Choice
          label="What to export"
          name="scope"
          options={scopes.map(({ name }, index) => [String(index), name])}
        />
      )}
      <Choice label="Format" name="format" options={formats} />
      <button type="submit">Export</button>
    </form>
  );
}

async function save({ name, query }: Scope, format: string): Promise<void> {
  const address = `/api/export?${new URLSearchParams({ ...query, format }).toString()}`;
  const answer = await fetch(address, session && { headers: session.headers });
  if (!answer.ok) throw new Error(((await answer.json()) as { message: string }).message);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = `waypointd ${name}.${format}`;
  link.click();
  // The browser has it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
