import { render, type JSX, type TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DayPanel } from './day-panel.tsx';
import { ImportBox, LibraryPanel } from './library-panel.tsx';
import { startMap } from './map-view.ts';
import { PeriodBar } from './period-bar.tsx';
import { PlacePanel } from './place-panel.tsx';
import { SearchBox } from './search-box.tsx';
import { away, isLost, session, status } from './service.ts';
import { IconButton } from './parts.tsx';
import * as state from './state.ts';
import { progress, upload } from './uploads.ts';
import { YearPanel } from './year-panel.tsx';

const panels: Readonly<Record<state.Tab, readonly [name: string, panel: () => JSX.Element]>> = {
  day: ['Day', DayPanel],
  places: ['Places', PlacePanel],
  year: ['Year', YearPanel],
  library: ['Library', LibraryPanel],
};

/** Puts the page into the document. */
export function startApp(): void {
  render(<App />, document.body);
}

function App(): JSX.Element {
  if (isLost.value) {
    return (
      <main class="lost">
        <h1>waypointd</h1>
        <p role="alert">
          This page has ended. Run <code>waypointd map</code> again.
        </p>
      </main>
    );
  }
  return (
    <DropZone>
      <MapBox />
      <SearchBox />
      <Panel />
      <PeriodBar />
      <Notices />
      <Away />
    </DropZone>
  );
}

/** Takes files that are dropped anywhere on the page. */
function DropZone({ children }: { readonly children: JSX.Element[] }): JSX.Element {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    state.openTab('library');
    const { items = [] } = event.dataTransfer ?? {};
    // All at once: the list is emptied when the event is over.
    void upload([...items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile()));
  };
  return (
    <div class="page" onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      {children}
      {isOver && <p class="drop">Drop to import</p>}
    </div>
  );
}

function MapBox(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<Awaited<ReturnType<typeof startMap>>>();
  useEffect(() => {
    if (box.current === null) return;
    const started = startMap(box.current);
    void started.then(setMap);
    return () => void started.then((made) => made.remove());
  }, []);
  const dark = state.isDark.value;
  return (
    <main aria-label="Map" class="map-box">
      <div ref={box} class="map" />
      <div class="controls" role="group" aria-label="Map controls">
        <IconButton sign="+" label="Zoom in" onClick={() => map?.zoomIn()} />
        <IconButton sign="−" label="Zoom out" onClick={() => map?.zoomOut()} />
        <IconButton
          sign={dark ? '☀' : '☾'}
          label="Dark colours"
          aria-pressed={dark}
          onClick={() => (state.chosenDark.value = !dark)}
        />
      </div>
      <p class="attribution">
        {session?.hasBasemap === true && '© OpenStreetMap · '}Natural Earth · GeoNames
      </p>
    </main>
  );
}

function Panel(): JSX.Element {
  const current = state.tab.value;
  const isOpen = state.isPanelOpen.value;
  const [, Content] = panels[current];
  const kind = current === 'day' && state.day.value === undefined ? 'small' : '';
  const content = useRef<HTMLDivElement>(null);
  const isNew = isEmpty();
  useEffect(() => {
    if (isNew) state.isPanelOpen.value = true;
  }, [isNew]);
  useEffect(() => keepFocus(() => content.current?.focus()), []);
  return (
    <aside class={`panel ${isOpen ? kind : 'closed'}`} aria-label="Panel">
      <div class="tabs">
        <div class="row grow" role="tablist" aria-label="What to show" onKeyDown={moveTab}>
          {state.tabs.map((tab) => (
            <button
              key={tab}
              id={`tab-${tab}`}
              role="tab"
              aria-selected={tab === current}
              aria-controls="content"
              tabIndex={tab === current ? 0 : -1}
              onClick={() => state.openTab(tab)}
            >
              {panels[tab][0]}
            </button>
          ))}
        </div>
        <IconButton
          sign={isOpen ? '−' : '+'}
          label="Show the panel"
          class="fold"
          aria-expanded={isOpen}
          onClick={() => (state.isPanelOpen.value = !isOpen)}
        />
      </div>
      <div
        key={current}
        ref={content}
        class="content"
        id="content"
        role="tabpanel"
        aria-labelledby={`tab-${current}`}
        tabIndex={-1}
        hidden={!isOpen}
      >
        {isNew && current !== 'library' ? <Welcome /> : <Content />}
      </div>
    </aside>
  );
}

/** Calls back when what had the focus is gone: keys would begin at the top of the page again. */
function keepFocus(onLost: () => void): void {
  let last: EventTarget | null = null;
  document.addEventListener('focusin', ({ target }) => (last = target));
  const look = (): void => {
    const isGone = last instanceof Node && !last.isConnected;
    if (isGone && document.activeElement === document.body) onLost();
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}

const tabSteps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

function moveTab(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = tabSteps[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const { tabs, tab } = state;
  const next = tabs.at((tabs.indexOf(tab.value) + step) % tabs.length) ?? tab.value;
  state.openTab(next);
  document.getElementById(`tab-${next}`)?.focus();
}

function isEmpty(): boolean {
  const { waypoints, imported, library } = status.value ?? {};
  const isKnown = library?.state === 'ready' && imported !== undefined;
  return isKnown && imported.files + (waypoints ?? 0) === 0 && state.draft.value === undefined;
}

/** Tells a new user how to begin. */
function Welcome(): JSX.Element {
  return (
    <section aria-label="Welcome">
      <h2>Nothing here yet</h2>
      <p>Drop track files on this page, or choose some. They stay on this machine.</p>
      <ImportBox />
      <p class="hint">
        For a whole folder: <code>waypointd import FOLDER</code>. For one that is looked after from
        now on: <code>waypointd watch add FOLDER</code>.
      </p>
    </section>
  );
}

function Away(): JSX.Element | null {
  const reading = status.value?.library;
  if (away.value !== undefined) {
    return (
      <p class="banner" role="alert">
        waypointd does not answer. This page goes on by itself as soon as it does.
      </p>
    );
  }
  if (reading?.state === 'reading' && progress.value === undefined) {
    return (
      <p class="banner" role="status">
        Reading the library: {reading.files_done} of {reading.files_total} files …
      </p>
    );
  }
  return null;
}

function Notices(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {state.notices.value.map((notice) => (
        <p key={notice} class={notice.isError ? 'notice error' : 'notice'}>
          <span class="grow">{notice.text}</span>
          {notice.action && (
            <button
              onClick={() => {
                state.dismiss(notice);
                notice.action?.run();
              }}
            >
              {notice.action.label}
            </button>
          )}
          <IconButton sign="×" label="Dismiss" onClick={() => state.dismiss(notice)} />
        </p>
      ))}
    </div>
  );
}
