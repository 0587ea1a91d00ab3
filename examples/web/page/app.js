import { WaypointService } from '/waypointd/client/waypoints/index.js';
import './waypoint-list.js';

/** The key comes behind the # of the address that the server printed; it stays in this tab and out of the history. */
function takeKey() {
  if (location.hash !== '') {
    sessionStorage.setItem('key', location.hash.slice(1));
    history.replaceState(null, '', location.pathname);
  }
  return sessionStorage.getItem('key') ?? '';
}

// An empty base is the page's own origin; the proxy there exchanges the key for the daemon's token.
const api = new WaypointService({ apiBase: '', apiToken: takeKey() });
const status = document.querySelector('#status');
const list = document.querySelector('waypoint-list');
const add = document.querySelector('#add');
const search = document.querySelector('#search');

api.subscribe('waypointsLoaded', (waypoints) => {
  status.textContent = `${waypoints.length} waypoints`;
});
api.subscribe('requestFailed', (kind, message) => {
  status.textContent = `${kind}: ${message}`;
});
list.api = api;

add.addEventListener('submit', (event) => {
  event.preventDefault();
  const { name, lat, lon } = Object.fromEntries(new FormData(add));
  void api.addWaypoint({ name, lat: Number(lat), lon: Number(lon) });
  add.reset();
});
search.addEventListener('input', () => {
  const query = new FormData(search).get('query').trim();
  void (query === '' ? api.getWaypoints() : api.suggest(query));
});

void api.getWaypoints();
// For trying things in the browser's console.
globalThis.api = api;
