/** The property list of launchd, read by Python: unlike plistutil it refuses what is malformed. */
import { spawnSync } from 'node:child_process';
import { renderLaunchAgent } from '../../service-files/launchd/agent-plist.ts';
import { testWith } from '../helpers/where.ts';

const read =
  'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
const hasPython = spawnSync('python3', ['-c', 'import plistlib']).status === 0;
const withPython = testWith(hasPython, 'no python3');

withPython('plistlib gives back every value of the LaunchAgent', (t) => {
  const hostile = `/a b/é/x&y<z>/"q"/it's/100%/]]>/$HOME/--`;
  const input = renderLaunchAgent({
    name: 'waypointd',
    title: 'Test',
    node: hostile,
    words: ['serve', '--data-dir', hostile],
    logFile: hostile,
  });
  const { stdout, stderr } = spawnSync('python3', ['-c', read], { input, encoding: 'utf8' });
  t.is(stderr, '');
  t.deepEqual(JSON.parse(stdout), {
    Label: 'local.waypointd',
    ProgramArguments: [hostile, 'serve', '--data-dir', hostile],
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 60,
    ExitTimeOut: 15,
    ProcessType: 'Standard',
    LowPriorityIO: false,
    Umask: 63,
    WorkingDirectory: '/',
    EnvironmentVariables: { NODE_OPTIONS: '', NODE_DEBUG: '' },
    SoftResourceLimits: { NumberOfFiles: 4096, Core: 0 },
    StandardOutPath: hostile,
    StandardErrorPath: hostile,
  });
});
