import { route, type Route } from '../../http/route.ts';
import { versionSchema, type VersionInfo } from '../../model/process.ts';
import { programInfo } from '../version-info.ts';
import type { DaemonParts } from '../parts.ts';

/** The parts of the API that this version has. */
const features = [
  'bookmarks',
  'changes',
  'clusters',
  'export',
  'geodata',
  'geojson',
  'hidden',
  'history',
  'import',
  'imports',
  'location',
  'suggest',
  'tags',
  'tiles',
  'timelines',
  'tracks',
];

export function versionRoutes({ store, geocoders }: DaemonParts): Route[] {
  // A user interface can tell that what is typed leaves the machine.
  const isOnline = geocoders.some((geocoder) => geocoder.isOnline === true);
  // None of it changes while the program runs.
  let info: Promise<VersionInfo> | undefined;
  const readInfo = async (): Promise<VersionInfo> => ({
    api: 1,
    features: isOnline ? [...features, 'online-geocoding'] : features,
    ...(await programInfo()),
    sqlite: store.sqliteVersion,
  });
  return [
    route({
      method: 'GET',
      path: '/api/version',
      summary: 'Tells runtime, platform, program and, in a clone, version-control information.',
      answers: { 200: versionSchema },
      handle: async () => ({ status: 200, json: await (info ??= readInfo()) }),
    }),
  ];
}
