import type { Browser, Page } from 'playwright-core';

/** Times of a page of the map, ms after the request. */
export interface PageTimes {
  /** The first of its text. */
  readonly paintMs: number;
  /** The first line of a track, or cluster of waypoints, that was drawn. */
  readonly tracksMs: number;
}

const longestMs = 60_000;
const lookEveryMs = 50;
/** An event of Chromium's trace: times in µs. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Looks at what the page has drawn, frame by frame: reads back the map's canvas behind the callbacks of a frame,
 * which costs some 10 ms each. Runs in the page before its own code, as text: a policy lets nothing be
 * evaluated.
 */
const watchFrames = `(() => {
  globalThis.tracksOnMap = undefined;
  let gl;
  const context = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    const made = context.call(this, kind, ...rest);
    if (made !== null && kind.startsWith('webgl')) gl = made;
    return made;
  };
  const isTrack = (red, green, blue) => red > green + 40 && red > blue + 40;
  const look = () => {
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
    const pixels = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    for (let at = 0; globalThis.tracksOnMap === undefined && at < pixels.length; at += 4) {
      if (isTrack(pixels[at], pixels[at + 1], pixels[at + 2]))
        globalThis.tracksOnMap = performance.now();
    }
  };
  const frame = requestAnimationFrame;
  globalThis.requestAnimationFrame = (callback) =>
    frame((now) => {
      callback(now);
      if (gl !== undefined && globalThis.tracksOnMap === undefined) look();
    });
})()`;

/** Opens the page in a window of its own and waits for its first tracks. */
export async function openMeasured(
  browser: Browser,
  address: string,
): Promise<{ readonly page: Page; readonly times: PageTimes }> {
  const viewport = { width: 1_280, height: 800 };
  const page = await browser.newPage({ viewport, colorScheme: 'light', locale: 'en-GB' });
  await page.addInitScript(watchFrames);
  await page.goto(address);
  const until = performance.now() + longestMs;
  // The policy of the page forbids what Playwright itself waits with.
  while (!(await page.evaluate<boolean>('tracksOnMap !== undefined'))) {
    if (performance.now() > until) throw new Error('no tracks on the map');
    await page.waitForTimeout(lookEveryMs);
  }
  const times = await page.evaluate<PageTimes>(`({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    tracksMs: tracksOnMap,
  })`);
  return { page, times };
}

/** Traces the page while its map moves; `isQuick`: a little only. @returns the longest task of its main thread, ms. */
export async function moved(browser: Browser, page: Page, isQuick: boolean): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] });
  await moveAbout(page, isQuick ? 1 : undefined);
  return longestOf(await browser.stopTracing());
}

function longestOf(trace: Buffer): number {
  // Sound: the format of Chromium's own tracing.
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const mainThreads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) =>
      ph === 'X' && name.endsWith('RunTask') && mainThreads.has(`${pid} ${tid}`),
  );
  return tasks.reduce((longest, { dur = 0 }) => Math.max(longest, dur), 0) / 1_000;
}

const drags = [
  [250, 60],
  [-300, 120],
  [60, -150],
] as const;

/** Drags the map about, and zooms in and out, as a hand does: at most so often. */
async function moveAbout(page: Page, most?: number): Promise<void> {
  const [x, y] = [800, 350];
  await page.mouse.move(x, y);
  for (const notches of [-300, -300, -300, 300].slice(0, most)) {
    for (const [east, south] of drags.slice(0, most)) {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + east, y + south, { steps: 12 });
      await page.mouse.up();
    }
    await page.mouse.wheel(0, notches);
    await page.waitForTimeout(600);
  }
}
