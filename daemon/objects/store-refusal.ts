import { ExitError, type ExitCode } from '../../model/exit-error.ts';
import { ObjectsRefused } from '../../storage/objects/open.ts';

const sentences: Readonly<Record<ObjectsRefused['refusal'], readonly [string, ExitCode]>> = {
  newer: ['The object store is from a newer waypointd.', 65],
  missing: [
    'The object store has contents but no objects.sqlite: bring it back from a backup.',
    74,
  ],
  unreadable: [
    'The objects.sqlite of the object store cannot be read: bring it back from a backup.',
    74,
  ],
};

/** Says why the database of an object store cannot be used; other errors stay as they are. */
export function storeRefusal(error: unknown): unknown {
  if (!(error instanceof ObjectsRefused)) return error;
  return new ExitError(...sentences[error.refusal], error);
}
