import type { ServiceOptions } from '../requests.ts';
import { WaypointService as PlainService } from '../service.ts';
import { nodeTransport } from './transport.ts';

/**
 * The service on Node.js. Where it speaks to a daemon of this machine, that has to prove that it knows the token, unless
 * `apiProves` is false (of a daemon whose hand-over file promises no proof).
 */
export class WaypointService extends PlainService {
  constructor(options: ServiceOptions = {}) {
    // Behind another address is a proxy, which proves nothing and may be reached by `fetch` only.
    const isLocal = options.apiBase === undefined && options.transport === undefined;
    super(isLocal ? { apiProves: true, ...options, transport: nodeTransport } : options);
  }
}
