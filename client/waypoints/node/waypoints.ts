/**
 * The module `waypointd/client/waypoints` on Node.js: its service demands a proof from the daemon before it sends a token,
 * a name or a position.
 */
export * from '../index.ts';
export { WaypointService } from './node-service.ts';
