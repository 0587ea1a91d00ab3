import { route, type Route } from '../../http/route.ts';
import { versionSchema, type VersionInfo } from '../../model/process.ts';

/** `GET /api/version`. */
export function versionRoutes(version: () => Promise<VersionInfo>): Route[] {
  // None of it changes while the program runs.
  let info: Promise<VersionInfo> | undefined;
  return [
    route({
      method: 'GET',
      path: '/api/version',
      summary: 'Tells runtime, platform, program and, in a clone, version-control information.',
      answers: { 200: versionSchema },
      handle: async () => ({ status: 200, json: await (info ??= version()) }),
    }),
  ];
}
