import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Waypoint } from '../../client/waypoints/index.ts';
import { find, inView } from './places.ts';
import { IconButton, Shown } from './parts.tsx';
import { OwnPlaces } from './own-places.tsx';
import { PlaceForm } from './place-form.tsx';
import { TagList } from './tag-list.tsx';
import { service } from './service.ts';
import { draft, selected, showPlace, view } from './state.ts';
import { longDate, position, several } from './words.ts';

/** One waypoint, the form for one, or those that the map shows. */
export function PlacePanel(): JSX.Element {
  if (draft.value !== undefined) return <PlaceForm draft={draft.value} />;
  if (selected.value !== undefined) return <PlaceCard waypoint={selected.value} />;
  return (
    <>
      <OwnPlaces />
      <PlaceList />
    </>
  );
}

function PlaceList(): JSX.Element {
  return (
    <section aria-label="Waypoints in view">
      <div class="row">
        <h2 class="grow">Waypoints in view</h2>
        <button class="main" onClick={addHere}>
          Add
        </button>
      </div>
      <Shown of={inView.value} what="the waypoints">
        {({ waypoints, others }) => (
          <>
            <ul class="list">
              {waypoints.map((waypoint) => (
                <li key={`${waypoint.name}\n${waypoint.lat}\n${waypoint.lon}`}>
                  <button onClick={() => void choose(waypoint)}>
                    <span class={waypoint.bookmark ? 'dot bookmark' : 'dot'} aria-hidden="true" />
                    {waypoint.name}
                    {waypoint.bookmark && <span class="unseen">, bookmark</span>}
                  </button>
                </li>
              ))}
            </ul>
            {others > 0 && (
              <p class="hint">{several(others, 'more waypoint')}: zoom in to list them.</p>
            )}
            {waypoints.length + others === 0 && (
              <p class="hint">No waypoint is in this part of the map.</p>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}

async function choose(waypoint: Waypoint): Promise<void> {
  showPlace((await find(waypoint)) ?? waypoint, 13);
}

/** Begins a bookmark in the middle of the map. */
function addHere(): void {
  const { lat = 0, lon = 0 } = view.peek() ?? {};
  draft.value = { lat, lon };
}

function PlaceCard({ waypoint }: { readonly waypoint: Waypoint }): JSX.Element {
  const { name, lat, lon, desc, cmt, ele, time, bookmark, links = [] } = waypoint;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [name, lat, lon]);
  return (
    <section aria-label="Waypoint">
      <div class="row">
        <h2 class="grow" tabIndex={-1} ref={heading}>
          {name}
        </h2>
        <IconButton sign="×" label="Close" onClick={() => (selected.value = undefined)} />
      </div>
      <p class="hint">
        {bookmark ? 'Bookmark' : 'Imported'} · {position(lat, lon)}
        {ele !== undefined && ` · ${Math.round(ele)} m`}
      </p>
      {time !== undefined && <p class="hint">{longDate(time)}</p>}
      {desc !== undefined && <p class="note">{desc}</p>}
      {cmt !== undefined && cmt !== desc && <p class="note">{cmt}</p>}
      {links.length > 0 && (
        <ul class="hint">
          {links.map(({ href, text }) => (
            <li key={href}>
              <a href={href} target="_blank" rel="noopener noreferrer">
                {text ?? href}
              </a>
            </li>
          ))}
        </ul>
      )}
      <TagList waypoint={waypoint} />
      <Actions waypoint={waypoint} />
    </section>
  );
}

function Actions({ waypoint }: { readonly waypoint: Waypoint }): JSX.Element {
  if (waypoint.bookmark !== true) {
    const keep = (): void => void service.addWaypoint(waypoint).catch(() => undefined);
    return (
      <div class="row">
        <button onClick={keep}>Make it a bookmark</button>
        <button onClick={() => void service.hideWaypoint(waypoint)}>Hide</button>
      </div>
    );
  }
  const edit = (): void => {
    draft.value = { original: waypoint, lat: waypoint.lat, lon: waypoint.lon };
  };
  return (
    <div class="row">
      <button onClick={edit}>Edit</button>
      <button class="danger" onClick={() => void service.deleteWaypoint(waypoint)}>
        Delete
      </button>
    </div>
  );
}
