import { marker, type ServiceName } from '../service-program.ts';

/**
 * Renders a drop-in that leaves a service no network at all. The one socket it serves on comes from the socket unit and
 * works all the same; so that unit is required, or the service would listen where nobody can reach it.
 */
export function renderNoNetwork(name: ServiceName): string {
  return `# ${marker}
[Unit]
Requires=${name}.socket

[Service]
PrivateNetwork=yes
`;
}
