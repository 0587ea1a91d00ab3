import { prewarm, setWorkerUrl } from 'maplibre-gl';

// Before anything is asked: it loads while the session is opened.
setWorkerUrl('/map-worker.js');
prewarm();
