import { addProtocol, Map, setWorkerUrl } from '/maplibre-gl/maplibre-gl.mjs';
import { WaypointService } from '/waypointd/client/waypoints/index.js';

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
// For trying things in the browser's console.
globalThis.api = api;

const status = document.querySelector('[role=status]');
api.subscribe('requestFailure', (_, { sentence }) => {
  status.textContent = sentence;
});

/** Tiles come through the service layer, too, with its key. */
addProtocol('waypointd', async ({ url }) => {
  const [z, x, y] = url.split('/').slice(-3).map(Number);
  const tile = await api.getTile({ z, x, y }, { layers: ['tracks'] });
  return { data: tile.buffer };
});

const tracks = { type: 'vector', tiles: ['waypointd://tile/{z}/{x}/{y}'], maxzoom: 16 };
const clusters = { type: 'geojson', data: collection([]) };
setWorkerUrl('/maplibre-gl/maplibre-gl-worker.mjs');
const { bounds } = await api.getTileJson();
const map = new Map({
  container: 'map',
  bounds,
  fitBoundsOptions: { padding: 24 },
  renderWorldCopies: false,
  style: {
    version: 8,
    sources: { tracks, clusters },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': '#f6f4ee' } },
      {
        id: 'tracks',
        type: 'line',
        source: 'tracks',
        'source-layer': 'tracks',
        paint: { 'line-color': '#c33', 'line-width': 2 },
      },
      {
        id: 'clusters',
        type: 'circle',
        source: 'clusters',
        paint: { 'circle-color': '#059', 'circle-radius': 12 },
      },
      {
        id: 'counts',
        type: 'symbol',
        source: 'clusters',
        layout: { 'text-field': ['get', 'count'], 'text-font': ['Sans'], 'text-size': 11 },
        paint: { 'text-color': '#fff' },
      },
    ],
  },
});

map.on('load', askClusters);
map.on('moveend', askClusters);
api.subscribe('clustersFetched', (found) => {
  status.textContent = `${found.length} places and clusters`;
  map.getSource('clusters').setData(collection(found.map(feature)));
});

function askClusters() {
  const [west, south, east, north] = map.getBounds().toArray().flat();
  const bbox = [
    Math.max(west, -180),
    Math.max(south, -90),
    Math.min(east, 180),
    Math.min(north, 90),
  ];
  void api.getClusters(map.getZoom(), 60, false, bbox);
}

function feature({ lat, lon, count = 1 }) {
  const geometry = { type: 'Point', coordinates: [lon, lat] };
  return { type: 'Feature', geometry, properties: { count } };
}

function collection(features) {
  return { type: 'FeatureCollection', features };
}
