import type { Command } from 'commander';

type Register = (program: Command) => void;

/** Where the commands are that are worth loading alone: all but those that look at the others. */
const loaders: Readonly<Record<string, () => Promise<Register>>> = {
  api: async () => (await import('./api.ts')).registerApi,
  bookmark: async () => (await import('./bookmark.ts')).registerBookmark,
  config: async () => (await import('./config.ts')).registerConfig,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  export: async () => (await import('./export.ts')).registerExport,
  geodata: async () => (await import('./geodata.ts')).registerGeodata,
  history: async () => (await import('./history.ts')).registerHistory,
  import: async () => (await import('./import.ts')).registerImport,
  list: async () => (await import('./list.ts')).registerList,
  objects: async () => (await import('./objects/register.ts')).registerObjects,
  paths: async () => (await import('./paths.ts')).registerPaths,
  search: async () => (await import('./search.ts')).registerSearch,
  serve: async () => (await import('./serve.ts')).registerServe,
  service: async () => (await import('./service.ts')).registerService,
  status: async () => (await import('./status.ts')).registerStatus,
  tag: async () => (await import('./tag.ts')).registerTag,
  timeline: async () => (await import('./timeline.ts')).registerTimeline,
  token: async () => (await import('./token.ts')).registerToken,
  url: async () => (await import('./token.ts')).registerToken,
  version: async () => (await import('./version.ts')).registerVersion,
  where: async () => (await import('./where.ts')).registerWhere,
};

/** Loads the command of this name; undefined for any other word. */
export async function loadCommand(name: string): Promise<Register | undefined> {
  return Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined;
}
