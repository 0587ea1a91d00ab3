import * as z from 'zod';
import { parseByteSize } from './byte-size.ts';
import { splitCommand } from './command-words.ts';
import { readPosition } from './position.ts';
import { geocoderUrlFault } from './geocoder-url.ts';
import { limits } from './limits.ts';
import { parseListenAddress } from './listen-address.ts';

/** The form of a value that has no other; forms are ends of sentences. */
const textForm = 'it is a text that is not empty';
const hostsForm = 'it is a list of host names';

const path = z.string(textForm).min(1, textForm);
const commaSeparated = (value: unknown) =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
    : value;
const list = z.preprocess(
  commaSeparated,
  z.array(z.string(hostsForm).min(1, hostsForm), hostsForm),
);
const foldersForm = `it is a list of at most ${limits.watchedFolders} absolute paths`;
const folders = z.preprocess(
  commaSeparated,
  z
    .array(z.string(foldersForm).regex(/^(?:\/|\\\\|[A-Za-z]:[\\/])/, foldersForm), foldersForm)
    .max(limits.watchedFolders, foldersForm),
);
const flag = z.preprocess(
  (value) =>
    value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : value,
  z.boolean('it is true or false'),
);
const integer = (min: number, max: number, form: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    z.int(form).min(min, form).max(max, form),
  );

const oneOf = <const T extends string>(...options: readonly T[]) =>
  z.enum(options, `it is one of ${options.join(', ')}`);

const checkedText = (isRight: (value: string) => boolean, form: string) =>
  z.string(textForm).trim().refine(isRight, form);
const byteSize = checkedText(
  (value) => parseByteSize(value) !== undefined,
  'it is a size such as 500M or 20G; 0 is no limit',
);
const geocoderUrl = z
  .string(textForm)
  .trim()
  .superRefine((value, context) => {
    const message = geocoderUrlFault(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/**
 * Every setting with its schema. Values from flags and the environment arrive as text, those of `config.json` typed.
 * Key = flag with `_` for `-`; environment variable = `WAYPOINTD_` + upper-case key.
 */
export const settingSchemas = {
  port: integer(0, 65_535, 'it is a whole number from 0 to 65535'),
  data_dir: path,
  cache_dir: path,
  runtime_dir: path,
  log_level: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  log_file: path,
  allowed_hosts: list,
  history: flag,
  bookmarks_file: path,
  watch_dirs: folders,
  basemap: path,
  location_provider: oneOf('auto', 'off', 'geoclue', 'gpsd', 'command', 'static'),
  location_command: checkedText(
    (value) => splitCommand(value) !== undefined,
    'it is a program, perhaps with arguments; quotes around a word that has blanks',
  ),
  location_static: checkedText(
    (value) => readPosition(value) !== undefined,
    'it is "lat,lon" in degrees, such as 48.2,16.37',
  ),
  geocoder: oneOf('offline', 'off', 'nominatim', 'photon'),
  geocoder_url: geocoderUrl,
  // It goes into the comment of a User-Agent header.
  geocoder_contact: checkedText(
    (value) => /^[ -'*-~]{1,200}$/.test(value),
    'it is up to 200 plain ASCII characters without brackets, such as a mail address',
  ),
  objects: flag,
  objects_listen: checkedText(
    (value) => parseListenAddress(value) !== undefined,
    'it is HOST:PORT, such as 127.0.0.1:43099',
  ),
  objects_root: path,
  objects_store: oneOf('file', 's3'),
  objects_database: checkedText(
    (value) => value === 'sqlite' || /^(?:postgres(?:ql)?:\/\/|\/|[A-Za-z]:[\\/])/u.test(value),
    'it is sqlite, or the absolute path of a file that holds a postgres:// URL',
  ),
  objects_s3_endpoint: checkedText(
    (value) => /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/u.test(value),
    'it is the URL of an S3 API, such as https://s3.example.org',
  ),
  objects_s3_region: checkedText(
    (value) => /^[a-z0-9-]{1,64}$/u.test(value),
    'it is the name of a region, such as eu-central-1',
  ),
  objects_s3_bucket: checkedText(
    (value) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u.test(value),
    'it is the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  ),
  objects_s3_prefix: checkedText(
    (value) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/u.test(value),
    'it is letters, digits, dots, hyphens and underscores, perhaps with slashes between',
  ),
  objects_s3_path_style: flag,
  objects_s3_credentials_file: path,
  objects_public_url: checkedText(
    (value) => /^https?:\/\/[^\s/?#]+(?:\/[^\s?#]*)?$/u.test(value),
    'it is the URL that clients use, such as https://objects.example.org',
  ),
  objects_tls_cert: path,
  objects_tls_key: path,
  objects_insecure_http: flag,
  objects_trusted_proxy: checkedText(
    (value) => /^[0-9A-Fa-f:.]+$/u.test(value),
    'it is the IP address of the proxy',
  ),
  objects_batch: flag,
  objects_max_object: byteSize,
  objects_min_free: byteSize,
  objects_requests_per_minute: integer(0, 1_000_000, 'it is a whole number, 0 for no limit'),
  objects_bandwidth_per_day: byteSize,
  objects_documentation_url: z.url(textForm),
} as const;

export type SettingKey = keyof typeof settingSchemas;
export const settingKeys = Object.keys(settingSchemas) as SettingKey[];
/** Settings that are true or false. */
export const switches = settingKeys.filter((key) => settingSchemas[key] === flag);
/** The settings whose value is a path of ours. `location_command` is not: a bare name is looked up in PATH. */
export const pathSettings = settingKeys.filter((key) => settingSchemas[key] === path);

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
  watch_dirs: [],
  location_provider: 'auto',
  geocoder: 'offline',
  objects: false,
  objects_listen: '127.0.0.1:43099',
  objects_store: 'file',
  objects_database: 'sqlite',
  objects_s3_region: 'us-east-1',
  objects_s3_path_style: false,
  objects_insecure_http: false,
  objects_batch: true,
  objects_max_object: '0',
  objects_min_free: '1G',
  objects_requests_per_minute: 0,
  objects_bandwidth_per_day: '0',
} as const satisfies Partial<Record<SettingKey, unknown>>;

/** Purpose of each setting, as `waypointd config` and `--help` print it. */
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
  watch_dirs: 'folders whose files are imported by themselves, comma-separated',
  basemap: 'a street map of your own for `waypointd map`, a .pmtiles file',
  location_provider: 'who tells where the machine is: auto, off, geoclue, gpsd, command or static',
  location_command: 'a program that prints positions as lines of JSON (docs/location.md)',
  location_static: 'a fixed position "lat,lon"',
  geocoder: 'who finds places by name: offline, off, nominatim or photon (docs/geocoding.md)',
  geocoder_url: 'base URL of the geocoding server; it is told what is typed',
  geocoder_contact: 'how the operator of the geocoding server can reach you',
  objects: 'also run the object server (docs/object-storage.md)',
  objects_listen: 'where the object server listens, HOST:PORT',
  objects_root: 'its directory; objects/ in the data directory by default',
  objects_store: 'where contents live: file (in its directory) or s3',
  objects_database: 'where rows live: sqlite (in its directory) or a file with a postgres:// URL',
  objects_s3_endpoint: 'URL of the S3 API; that of Amazon by default',
  objects_s3_region: 'region of the bucket',
  objects_s3_bucket: 'the bucket',
  objects_s3_prefix: 'what the keys of its objects begin with',
  objects_s3_path_style: 'whether the bucket stands in the path and not in the host name',
  objects_s3_credentials_file: 'keys as the AWS tools keep them in a file',
  objects_public_url: 'the URL by which clients reach it, behind a proxy',
  objects_tls_cert: 'its certificate chain, PEM: it then speaks https',
  objects_tls_key: 'the private key of that',
  objects_insecure_http: 'allow passwords in clear text on a network',
  objects_trusted_proxy: 'IP address of a proxy whose X-Forwarded-For is believed',
  objects_batch: 'whether git-lfs (its batch API) is served',
  objects_max_object: 'largest object, such as 5G; 0 is no limit',
  objects_min_free: 'free space that uploads leave on the disk',
  objects_requests_per_minute: 'logins and announcements a minute of one client; 0 is no limit',
  objects_bandwidth_per_day: 'bytes a day that one repository sends; 0 is no limit',
  objects_documentation_url: 'named in its error answers',
};
