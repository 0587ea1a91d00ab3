import { ObjectsRefused } from '../../storage/objects/open.ts';
import { StartRefused } from '../start-refused.ts';

/** Says why the database of an object store cannot be used; other errors stay as they are. */
export function storeRefusal(error: unknown): unknown {
  if (!(error instanceof ObjectsRefused)) return error;
  switch (error.refusal) {
    case 'newer':
      return new StartRefused(65, 'The object store is from a newer waypointd.', error);
    case 'missing':
      return new StartRefused(
        74,
        'The object store has contents but no objects.sqlite: bring it back from a backup.',
        error,
      );
    case 'unreadable':
      return new StartRefused(
        74,
        'The objects.sqlite of the object store cannot be read: bring it back from a backup.',
        error,
      );
  }
}
