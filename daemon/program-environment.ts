/** Settings may hold a position or a password; the others are between us and the service manager. */
const ownVariables =
  /^(?:WAYPOINTD_.*|LISTEN_.*|WATCHDOG_.*|NOTIFY_SOCKET|CREDENTIALS_DIRECTORY)$/i;

/** The environment of another program: the daemon's, without what is meant for the daemon alone. */
export function programEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ownVariables.test(name)));
}
