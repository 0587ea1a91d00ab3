import { defineCommand } from '../program/command.ts';
import { requireDaemon } from '../program/connection.ts';

export const command = defineCommand({
  name: 'token',
  summary: "print the running daemon's token",
  description:
    "Prints the running daemon's bearer token, which changes with every start. Do not write it into a command's arguments: every program on the machine can read those.",
  options: {
    '--header': 'print it as an HTTP header, for curl -H @-',
  },
  examples: ['token --header | curl -H @- "$(waypointd url)/api/version"'],
  async run({ context }) {
    const { handOver } = await requireDaemon(context);
    return { token: handOver.token };
  },
  show: ({ token }, { options }) => (options.header ? `Authorization: Bearer ${token}` : token),
});
