import type { Command } from 'commander';
import { requireDaemon } from '../program/connection.ts';
import { commandContext } from '../program/context.ts';
import { print, printJson } from '../terminal/output.ts';

interface TokenOptions {
  readonly header?: boolean;
  readonly json?: boolean;
}

/** `waypointd token` and `waypointd url` */
export function registerToken(program: Command): void {
  program
    .command('token')
    .summary("print the running daemon's token")
    .description(
      "Prints the running daemon's bearer token, which changes with every start. Do not write it into a\ncommand's arguments: every program on the machine can read those.",
    )
    .option('--header', 'print it as an HTTP header, for curl -H @-')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Example:
  waypointd token --header | curl -H @- "$(waypointd url)/api/version"`,
    )
    .action(async (options: TokenOptions, command: Command) => {
      const { handOver } = await requireDaemon(commandContext(command));
      if (options.json === true) return printJson({ token: handOver.token });
      await print(
        options.header === true ? `Authorization: Bearer ${handOver.token}` : handOver.token,
      );
    });

  program
    .command('url')
    .summary("print the running daemon's address")
    .description("Prints the running daemon's address, such as http://127.0.0.1:43098.")
    .option('--json', 'print JSON')
    .action(async (options: { readonly json?: boolean }, command: Command) => {
      const { handOver } = await requireDaemon(commandContext(command));
      await (options.json === true ? printJson({ url: handOver.url }) : print(handOver.url));
    });
}
