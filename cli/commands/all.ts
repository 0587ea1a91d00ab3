import type { CommandGroup } from '../program/command.ts';

/** Every command, in the order of the help. */
export const allCommands: readonly CommandGroup[] = [
  {
    heading: 'Your waypoints:',
    commands: {
      import: () => import('./import.ts'),
      imports: () => import('./imports.ts'),
      watch: () => import('./watch.ts'),
      list: () => import('./list.ts'),
      search: () => import('./search.ts'),
      bookmark: () => import('./bookmark.ts'),
      tag: () => import('./tag.ts'),
      hide: () => import('./hide.ts'),
      undo: () => import('./undo.ts'),
      changes: () => import('./changes.ts'),
      history: () => import('./history.ts'),
      timeline: () => import('./timeline.ts'),
      days: () => import('./days.ts'),
      trips: () => import('./trips.ts'),
      places: () => import('./places.ts'),
      year: () => import('./year.ts'),
      where: () => import('./where.ts'),
      when: () => import('./when.ts'),
      correct: () => import('./correct.ts'),
      map: () => import('./map.ts'),
      export: () => import('./export.ts'),
      backup: () => import('./backup.ts'),
    },
  },
  {
    heading: 'The daemon:',
    commands: {
      serve: () => import('./serve.ts'),
      service: () => import('./service.ts'),
      status: () => import('./status.ts'),
      doctor: () => import('./doctor.ts'),
      config: () => import('./config.ts'),
      paths: () => import('./paths.ts'),
      geodata: () => import('./geodata.ts'),
      version: () => import('./version.ts'),
      completion: () => import('./completion.ts'),
    },
  },
  {
    heading: 'Large files:',
    commands: { objects: () => import('./objects/objects.ts') },
  },
  {
    heading: 'For programs:',
    commands: {
      token: () => import('./token.ts'),
      url: () => import('./url.ts'),
      api: () => import('./api.ts'),
    },
  },
];
