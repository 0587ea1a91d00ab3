import type { SettingKey, Settings } from '../../../model/settings.ts';
import { computePaths, type Paths } from '../../../daemon/paths.ts';
import { checkSetting } from '../../../daemon/settings.ts';
import type { CommandContext } from '../../program/context.ts';

/** Short names that the commands of the object server have for its settings. */
const shortFlags = {
  listen: 'objects_listen',
  root: 'objects_root',
  publicUrl: 'objects_public_url',
  tlsCert: 'objects_tls_cert',
  tlsKey: 'objects_tls_key',
  insecureHttp: 'objects_insecure_http',
  batch: 'objects_batch',
} as const satisfies Record<string, SettingKey>;

type ShortFlags = {
  readonly [Name in keyof typeof shortFlags]?: string | boolean | undefined;
};

export interface ObjectsContext {
  readonly settings: Settings;
  readonly paths: Paths;
}

/**
 * The settings of a command's call with its short flags.
 * @throws ExitError
 */
export function objectsContext(
  { resolved, paths }: CommandContext,
  given: ShortFlags,
): ObjectsContext {
  const changes: Partial<Record<SettingKey, unknown>> = {};
  for (const [name, key] of Object.entries(shortFlags)) {
    const value = given[name as keyof ShortFlags];
    // A switch that was not given is what it is when left out: false, and true for --no-….
    if (value === undefined || value === (name === 'batch')) continue;
    const from = `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`;
    changes[key] = checkSetting(key, value, { from, base: process.cwd(), exitCode: 64 });
  }
  // Sound: every change was checked against the schema of its key.
  const settings = { ...resolved.settings, ...changes } as Settings;
  return { settings, paths: computePaths(settings, { configFile: paths.configFile }) };
}
