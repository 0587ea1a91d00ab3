/** Finding the daemon from a program that runs on Node.js: Electron's main process, a tool, a proxy for pages. */
export { connect, DaemonNotFound, findDaemon, type ConnectOptions } from './connect.ts';
export type { ChosenDirectories } from './places.ts';
export { WaypointService } from './node-service.ts';
export { askDaemon, nodeTransport, type DaemonRequest } from './transport.ts';
