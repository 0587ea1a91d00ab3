/**
 * A same-origin proxy: lets the pages that this server gives out use waypointd, and nobody else. It adds the daemon's
 * token, which no page ever sees, and takes away what would tell the daemon that a browser is asking; so everything that
 * the daemon does to keep foreign pages out has to be done here.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';

/** Nothing else goes to the daemon: no Origin, no Sec-Fetch-*, no cookies; the token is that of the client. */
const requestHeaders = ['accept', 'if-none-match', 'content-type', 'content-length'];
const answerHeaders = [
  'content-type',
  'etag',
  'cache-control',
  'retry-after',
  'x-request-id',
  'x-change-id',
];
/** No other origin may even embed an answer. */
const always = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/**
 * Makes the handler of requests for `/api/…`.
 * @param {{
 *   key: string,
 *   findDaemon: () => Promise<{apiPort: number, apiToken: string, apiProves?: boolean} | undefined>,
 *   askDaemon: import('waypointd/client/waypoints/node').askDaemon,
 * }} options key: what our own pages prove themselves with; findDaemon, askDaemon: of waypointd/client/waypoints/node,
 *   the latter asks on each connection for the proof that the daemon is at its other end.
 * @returns {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>}
 */
export function createProxy({ key, findDaemon, askDaemon }) {
  let access;

  async function ask(question) {
    const used = (access ??= await findDaemon());
    if (used === undefined) return undefined;
    try {
      return await askDaemon(accessTo(used), question);
    } catch (error) {
      if (access === used) access = undefined;
      // The daemon was started anew, or is gone; what was sent already must not be sent twice.
      if (!error.wasNotSent) return undefined;
    }
    access ??= await findDaemon();
    return access && askDaemon(accessTo(access), question).catch(() => undefined);
  }

  return async (request, response) => {
    if (!isOurs(request.headers.authorization, key)) {
      return refuse(response, 401, 'unauthorized', 'This page has lost its key; open it anew.');
    }
    // No browser sends such a body. Without its length it could be taken for a request of its own.
    if (request.headers['transfer-encoding'] !== undefined) {
      return refuse(response, 411, 'invalid', 'The length of the body is missing.');
    }
    const answer = await ask(questionOf(request, response));
    if (answer === undefined || answer.status === 401) {
      answer?.close();
      access = undefined;
      return refuse(response, 503, 'unavailable', 'waypointd is not running.');
    }
    response.writeHead(answer.status, { ...pick(answer.headers, answerHeaders), ...always });
    // Breaks the one when the other breaks: a cut answer must not look whole.
    pipeline(answer.pieces(), response, () => {});
  };
}

/**
 * Tells why a request is not from a page of ours.
 * @param {import('node:http').IncomingMessage} request
 * @param {number} port the one this server listens on.
 * @returns {number | undefined} the status to refuse it with.
 */
export function foreign({ headers, method }, port) {
  const host = headers.host?.toLowerCase();
  // A page whose own name was made to point at this machine still brings that name.
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 421;
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) return 403;
  // `none` is an address that somebody typed or opened from elsewhere than a page.
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') return 403;
  return method === 'OPTIONS' ? 403 : undefined;
}

/**
 * Answers with a failure that looks like the daemon's.
 * @param {import('node:http').ServerResponse} response
 */
export function refuse(response, status, code, message) {
  response.writeHead(status, {
    ...always,
    'content-type': 'application/json',
    connection: 'close',
  });
  response.end(JSON.stringify({ message, code }));
}

function isOurs(authorization = '', key) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${key}`));
}

function accessTo({ apiPort, apiToken, apiProves }) {
  return { base: `http://127.0.0.1:${apiPort}`, token: apiToken, proves: apiProves };
}

/** How long an answer may take is for the page to say: it hangs up. How large a body may be is for the daemon. */
function questionOf(request, response) {
  const hungUp = new AbortController();
  response.once('close', () => hungUp.abort(new Error('the page has hung up')));
  const hasBody = request.headers['content-length'] !== undefined;
  // Ending the page's connection with the body would keep a refusal from arriving.
  const pieces = () => Readable.from(request.iterator({ destroyOnReturn: false }));
  return {
    method: request.method,
    path: request.url,
    headers: {
      ...pick(request.headers, requestHeaders),
      // Addresses in answers are those that the page may ask.
      'x-forwarded-host': request.headers.host,
    },
    body: hasBody ? pieces() : undefined,
    signal: hungUp.signal,
    silenceMs: 0,
  };
}

function pick(headers, names) {
  return Object.fromEntries(
    names.filter((name) => headers[name] !== undefined).map((name) => [name, headers[name]]),
  );
}
