import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a guard may look at: the request's head, before anything of its body is read. */
export interface RequestHead {
  readonly method: string;
  /** The request target up to the first `?`, exactly as sent: nothing is decoded or normalised. */
  readonly path: string;
  /** The port the request arrived at. */
  readonly port: number;
  /** The address at the other end of the connection, IPv4 without `::ffff:`. */
  readonly peer: string;
  /** Every value of a header, in order of arrival; `name` in lower case. */
  readonly header: (name: string) => string[];
}

/** Lets a request pass or refuses it. @throws WaypointError */
export type Guard = (head: RequestHead) => void;

/** One request with its answer under way. */
export class Exchange implements RequestHead {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId = newRequestId();
  readonly startedAt = performance.now();
  readonly method: string;
  readonly path: string;
  /** The request target after the first `?`. */
  readonly search: string;
  /** The matched route's path template, for the log: the path itself may hold an id. */
  route = 'none';
  /** The methods to name in `Allow` when this one is refused. */
  allow: string | undefined;
  #signal: AbortSignal | undefined;

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.req = req;
    this.res = res;
    this.method = req.method ?? 'none';
    const target = req.url ?? '';
    const mark = target.indexOf('?');
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.search = mark === -1 ? '' : target.slice(mark + 1);
  }

  get port(): number {
    return this.req.socket.localPort ?? 0;
  }

  get peer(): string {
    return (this.req.socket.remoteAddress ?? '').replace(/^::ffff:/u, '');
  }

  /** Reads the raw headers: Node's parsed ones silently drop a second Host, Authorization or Content-Type. */
  header(name: string): string[] {
    const { rawHeaders } = this.req;
    const values: string[] = [];
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      const candidate = rawHeaders[at];
      if (candidate?.length !== name.length || candidate.toLowerCase() !== name) continue;
      values.push(rawHeaders[at + 1] ?? '');
    }
    return values;
  }

  /** Whether the request announces a body, be it read or not. */
  get hasBody(): boolean {
    const { headers } = this.req;
    if (headers['transfer-encoding'] !== undefined) return true;
    return Number(headers['content-length'] ?? 0) > 0;
  }

  /** Whether the client waits for our permission to send its body. */
  get expectsContinue(): boolean {
    const { headers, httpVersionMinor } = this.req;
    return httpVersionMinor === 1 && /\b100-continue\b/i.test(headers.expect ?? '');
  }

  /** Aborted when the client hangs up before its answer is complete. Made on demand: few handlers look at it. */
  get signal(): AbortSignal {
    if (this.#signal !== undefined) return this.#signal;
    const controller = new AbortController();
    const { res } = this;
    const onClose = (): void => {
      if (!res.writableFinished) controller.abort();
    };
    if (res.destroyed) onClose();
    else res.once('close', onClose);
    this.#signal = controller.signal;
    return controller.signal;
  }

  /** Whether nothing can be answered any more: it already is, or the client is gone. */
  get isOver(): boolean {
    return this.res.headersSent || this.res.destroyed;
  }
}

/** 16 hex digits: the parts of a random UUID that carry no version bits, because Node makes UUIDs in batches. */
function newRequestId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(-8);
}
