import type { FileCounts } from '../../storage/library/writer.ts';

/** The counts of a file without anything. */
export const noCounts: FileCounts = {
  format: 'gpx',
  waypoints: 0,
  ownBookmarks: 0,
  trackPoints: 0,
  tracks: 0,
  routePoints: 0,
  routes: 0,
  observations: 0,
  missingTimes: 0,
  invalidTimes: 0,
  unusablePoints: 0,
};
