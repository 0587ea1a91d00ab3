import { defineCommand } from '../program/command.ts';
import { requireDaemon } from '../program/connection.ts';

export const command = defineCommand({
  name: 'url',
  summary: "print the running daemon's address",
  description: "Prints the running daemon's address, such as http://127.0.0.1:43098.",
  async run({ context }) {
    const { handOver } = await requireDaemon(context);
    return { url: handOver.url };
  },
  show: ({ url }) => url,
});
