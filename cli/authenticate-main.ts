import { NotAuthenticated } from '../objects/authenticate.ts';
import { authenticateCommand } from './authenticate-command.ts';
import { ExitError } from '../model/exit-error.ts';

// Nothing but the one JSON object may reach standard output: the client reads all of it.
try {
  process.stdout.write(`${await authenticateCommand(process.argv.slice(2), process.env)}\n`);
} catch (error) {
  const isForClient = error instanceof NotAuthenticated || error instanceof ExitError;
  process.stderr.write(`${isForClient ? error.message : 'The login failed on the server.'}\n`);
  process.exitCode = 1;
}
