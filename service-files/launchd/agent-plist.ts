import { fstatSync, ftruncateSync } from 'node:fs';
import { marker, xmlText, type ServiceName, type ServiceProgram } from '../service-program.ts';

/** An agent of one user: `~/Library/LaunchAgents/LABEL.plist`. */
export interface LaunchAgent extends ServiceProgram {
  /** Takes standard output and error; its directory has to be there, and launchd never shortens it. */
  readonly logFile: string;
}

export function launchdLabel(name: ServiceName): string {
  return `local.${name}`;
}

/** launchd restarts a program that has failed, whatever its exit code, but not sooner than so after its last start, s. */
export const launchdPauseS = 60;

/** Longer than an orderly stop of the daemon takes, s. */
const exitTimeOutS = 15;

/**
 * Renders the property list of a LaunchAgent. KeepAlive restarts it after a failure only: an orderly stop stays one.
 * launchd knows no exit code that is final, so a daemon that cannot start is tried again once a minute.
 * ProcessType: the throttling of `Background` would slow down imports and timelines. Umask: launchd wants 077 in
 * decimal. NODE_OPTIONS and its like are emptied, because what is set for other Node.js programs must not change this.
 */
export function renderLaunchAgent(agent: LaunchAgent): string {
  const command = [agent.node, ...agent.words]
    .map((word) => `    <string>${xmlText(word)}</string>`)
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${marker}; "waypointd service uninstall" removes it. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${launchdLabel(agent.name)}</string>
  <key>ProgramArguments</key>
  <array>
${command}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>${launchdPauseS}</integer>
  <key>ExitTimeOut</key>
  <integer>${exitTimeOutS}</integer>
  <key>ProcessType</key>
  <string>Standard</string>
  <key>LowPriorityIO</key>
  <false/>
  <key>Umask</key>
  <integer>63</integer>
  <key>WorkingDirectory</key>
  <string>/</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>NODE_OPTIONS</key>
    <string></string>
    <key>NODE_DEBUG</key>
    <string></string>
  </dict>
  <key>SoftResourceLimits</key>
  <dict>
    <key>NumberOfFiles</key>
    <integer>4096</integer>
    <key>Core</key>
    <integer>0</integer>
  </dict>
  <key>StandardOutPath</key>
  <string>${xmlText(agent.logFile)}</string>
  <key>StandardErrorPath</key>
  <string>${xmlText(agent.logFile)}</string>
</dict>
</plist>
`;
}

/** The same as one file of our own rotated logs. */
const maxBytes = 5_242_880;

export function isStartedByLaunchd(env: NodeJS.ProcessEnv): boolean {
  return env['XPC_SERVICE_NAME'] === launchdLabel('waypointd');
}

/** Empties the file that standard error goes to when it is too long: launchd appends to it for ever. */
export function shortenLaunchdLog(): void {
  try {
    const stats = fstatSync(2);
    if (stats.isFile() && stats.size > maxBytes) ftruncateSync(2);
  } catch {
    // Not ours to change: it stays long.
  }
}
