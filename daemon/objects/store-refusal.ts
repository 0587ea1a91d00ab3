import { ObjectsRefused } from '../../storage/objects/open.ts';
import { ExitError } from '../../model/exit-error.ts';

/** Says why the database of an object store cannot be used; other errors stay as they are. */
export function storeRefusal(error: unknown): unknown {
  if (!(error instanceof ObjectsRefused)) return error;
  switch (error.refusal) {
    case 'newer':
      return new ExitError('The object store is from a newer waypointd.', 65, error);
    case 'missing':
      return new ExitError(
        'The object store has contents but no objects.sqlite: bring it back from a backup.',
        74,
        error,
      );
    case 'unreadable':
      return new ExitError(
        'The objects.sqlite of the object store cannot be read: bring it back from a backup.',
        74,
        error,
      );
  }
}
