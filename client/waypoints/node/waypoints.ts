/**
 * What `waypointd/client/waypoints` is on Node.js: the same, but a service that asks who answers before it sends a token,
 * a name or a position.
 */
export * from '../index.ts';
export { WaypointService } from './node-service.ts';
