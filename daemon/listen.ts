import type { HttpServer } from '../http/server.ts';
import { errorCode } from '../model/error-code.ts';
import { ExitError } from '../model/exit-error.ts';

interface Place {
  readonly port: number;
  /** A socket inherited from a service manager, instead of the port. */
  readonly socket?: { readonly fd: number } | undefined;
}

/**
 * Listens on a port of 127.0.0.1, or on an inherited socket.
 * @throws ExitError 75
 */
export async function listen(
  server: HttpServer,
  { port, socket }: Place,
): Promise<{ port: number }> {
  try {
    return await server.listen(socket ?? { port, host: '127.0.0.1' });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE') throw new ExitError(portTaken(port), 75, error);
    if (code === 'EACCES') {
      throw new ExitError(
        `This user may not listen on port ${port}; choose another with --port.`,
        75,
        error,
      );
    }
    throw error;
  }
}

function portTaken(port: number): string {
  return `Port ${port} of 127.0.0.1 is taken by another program or another user's waypointd; choose another with --port.`;
}
