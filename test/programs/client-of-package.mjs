/** A script of a user, on whatever Node.js runs it: prints what the client of the package gave. */
import { WaypointService } from 'waypointd/client/waypoints';
import { connect } from 'waypointd/client/waypoints/node';

const api = await connect();
const signalled = [];
api.subscribe('waypointAdded', ({ name }) => signalled.push(name));
await api.addWaypoint({ name: 'Camp', lat: 42.1, lon: -8.3, tags: ['home'] });
const [{ tags }] = await api.getWaypoints();
const offline = await new WaypointService({ apiPort: -1 }).getWaypoints();
console.log(JSON.stringify({ node: process.version, signalled, tags, offline }));
