import { programInfo } from '../../daemon/version-info.ts';
import { defineCommand } from '../program/command.ts';

export const command = defineCommand({
  name: 'version',
  summary: 'print what this program is',
  description: 'Prints this program\'s version; "waypointd status" prints the running daemon\'s.',
  run: programInfo,
  *show({ module, build, runtime, platform }) {
    const changed = build?.dirty === true ? ', changed since' : '';
    const commit =
      build?.commit_short === undefined ? '' : ` (commit ${build.commit_short}${changed})`;
    yield `waypointd ${module.version}${commit}`;
    yield `Node.js ${runtime.version}, ${platform.os} ${platform.arch} ${platform.release}`;
  },
});
