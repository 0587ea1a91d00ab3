import { marker, type ServiceName } from '../service-program.ts';

/**
 * Renders the socket unit, the same for a user and for the machine. It holds the port while the service restarts:
 * whoever connects in between waits and is answered by the new process.
 */
export function renderSocketUnit({
  name,
  port,
}: {
  readonly name: ServiceName;
  /** 1 … 65535 */
  readonly port: number;
}): string {
  return `# ${marker}; "waypointd service uninstall" removes it.
[Unit]
Description=Port of ${name}

[Socket]
ListenStream=127.0.0.1:${port}

[Install]
WantedBy=sockets.target
`;
}
