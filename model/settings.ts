import { z } from 'zod';
import { limits } from './limits.ts';

const path = z.string().min(1);
const list = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
      : value,
  z.array(z.string().min(1)),
);
const flag = z.preprocess(
  (value) =>
    value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value,
  z.boolean(),
);
const integer = (min: number, max: number) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  );

/**
 * Every setting with its schema. Values from flags and the environment arrive as text, those of `config.json` typed.
 * Key = flag with `_` for `-`; environment variable = `WAYPOINTD_` + upper-case key.
 */
export const settingSchemas = {
  port: integer(0, 65_535),
  data_dir: path,
  cache_dir: path,
  runtime_dir: path,
  log_level: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
  log_file: path,
  allowed_hosts: list,
  history: flag,
  bookmarks_file: path,
  location_provider: z.enum(['auto', 'none', 'geoclue', 'gpsd', 'static', 'command']),
  location_command: path,
  location_static: z.string().min(1),
  geocoder: z.enum(['offline', 'none', 'nominatim', 'photon']),
  geocoder_url: z.url(),
  geocoder_contact: z.string().min(1),
  objects: flag,
} as const;

export type SettingKey = keyof typeof settingSchemas;
export const settingKeys = Object.keys(settingSchemas) as SettingKey[];

export type Settings = {
  readonly [K in keyof typeof settingDefaults]: z.output<(typeof settingSchemas)[K]>;
} & {
  readonly [K in Exclude<SettingKey, keyof typeof settingDefaults>]?: z.output<
    (typeof settingSchemas)[K]
  >;
};

/** Defaults; the directories' defaults depend on the machine and are computed by the paths module. */
export const settingDefaults = {
  port: limits.port,
  log_level: 'info',
  allowed_hosts: [],
  history: true,
  location_provider: 'auto',
  geocoder: 'offline',
  objects: false,
} as const satisfies Partial<Record<SettingKey, unknown>>;

/** What each setting is for, as `waypointd config` and `--help` print it. */
export const settingHelp: Record<SettingKey, string> = {
  port: 'TCP port on 127.0.0.1; 0 takes any free port',
  data_dir: 'where bookmarks, imports and everything precious live',
  cache_dir: 'what may be deleted at any time',
  runtime_dir: 'where the hand-over file daemon.json is written',
  log_level: 'debug, info, warn, error or silent',
  log_file: 'also log to this file (rotated)',
  allowed_hosts: 'further Host header values to accept, comma-separated',
  history: 'whether searches are remembered',
  bookmarks_file: 'the live GPX mirror of the bookmarks',
  location_provider: 'auto, none, geoclue, gpsd, static or command (no effect in this version)',
  location_command: 'a program that prints one JSON fix (no effect in this version)',
  location_static: 'a fixed position "lat,lon" (no effect in this version)',
  geocoder: 'offline, none, nominatim or photon (no effect in this version)',
  geocoder_url: 'base URL of your own geocoding server (no effect in this version)',
  geocoder_contact: 'contact sent to the geocoding server (no effect in this version)',
  objects: 'also run the object server (no effect in this version)',
};
