import * as z from 'zod';

/** Media type of the object API's answers. */
export const objectMediaType = 'application/vnd.x-lfs+json';
/** The media type of git-lfs clients, which drop bodies of any other; they are answered in theirs. */
export const gitLfsMediaType = 'application/vnd.git-lfs+json';

/** Limits of the object server that are no settings. */
export const objectLimits = {
  /** A batch request; git-lfs sends at most 100 objects. */
  batchObjects: 1_000,
  /** Largest size that JSON numbers carry exactly. */
  sizeBytes: Number.MAX_SAFE_INTEGER,
  userCodePoints: 64,
  /** Shortest new password, code points. */
  passwordCodePoints: 8,
  passwordBytes: 1_024,
  repositoryPartLength: 100,
  /** File locks of one repository, and of one page of their list. */
  locks: 10_000,
  locksPage: 100,
  /** Three quarters of what PostgreSQL can index. */
  lockPathBytes: 2_048,
} as const;

/** SHA-256 of a content: 64 lower-case hexadecimal digits. */
export const oidSchema = z.string().regex(/^[0-9a-f]{64}$/);

export const objectBodySchema = z.object({
  oid: oidSchema,
  size: z.int().min(0).max(objectLimits.sizeBytes),
});
export type ObjectBody = z.output<typeof objectBodySchema>;

export const linkSchema = z.object({
  href: z.url(),
  header: z.record(z.string(), z.string()).optional(),
  /** Seconds; absent where the link lasts as long as its token. */
  expires_in: z.int().optional(),
});
export type Link = z.output<typeof linkSchema>;

/** An object with its links, as GET and POST of the object API answer it. */
export const objectAnswerSchema = objectBodySchema.extend({
  /** The links carry their own authentication: clients need not ask for a password. */
  authenticated: z.literal(true).optional(),
  _links: z
    .object({ self: linkSchema, download: linkSchema, upload: linkSchema, verify: linkSchema })
    .partial()
    .optional(),
});
export type ObjectAnswer = z.output<typeof objectAnswerSchema>;

/** A field that other servers may omit, or send as null or another type. */
function maybe<T>(schema: z.ZodType<T>) {
  return schema.optional().catch(undefined);
}

const foreignHeader = z
  .record(z.string(), z.unknown())
  .transform((all) =>
    Object.entries(all).filter((one): one is [string, string] => typeof one[1] === 'string'),
  )
  .transform((entries) => Object.fromEntries(entries));

const foreignLink = z.object({ href: z.string().min(1), header: maybe(foreignHeader) });

/** An object with its links as any server answers it; what a client does not need is not looked at. */
export const foreignObjectSchema = z.object({
  oid: maybe(oidSchema),
  size: maybe(objectBodySchema.shape.size),
  _links: maybe(
    z.object({
      download: maybe(foreignLink),
      upload: maybe(foreignLink),
      verify: maybe(foreignLink),
    }),
  ),
});
export type ForeignObject = z.output<typeof foreignObjectSchema>;

/** The error object of the specification, as far as it is one. */
export const objectErrorSchema = z.object({
  message: maybe(z.string().min(1)),
  documentation_url: maybe(z.string()),
  request_id: maybe(z.string()),
});

export type Operation = 'upload' | 'download';

/**
 * A batch request of git-lfs. Objects are checked one by one, because each is answered on its own; unknown transfers and
 * fields are ignored.
 */
export const batchRequestSchema = z.object({
  operation: z.enum(['upload', 'download']),
  objects: z.array(z.unknown()).max(objectLimits.batchObjects),
  transfers: z.array(z.string()).optional(),
  hash_algo: z.string().min(1).optional(),
});

const actionSchema = z.object({
  href: z.url(),
  header: z.record(z.string(), z.string()),
  expires_in: z.int(),
});

const batchObjectSchema = z.object({
  oid: z.string(),
  size: z.number(),
  authenticated: z.literal(true).optional(),
  actions: z.record(z.string(), actionSchema).optional(),
  error: z.object({ code: z.int(), message: z.string() }).optional(),
});
export type BatchObject = z.output<typeof batchObjectSchema>;

export const batchAnswerSchema = z.object({
  transfer: z.literal('basic'),
  objects: z.array(batchObjectSchema),
  hash_algo: z.literal('sha256'),
});

/** Output of the login command of an ssh remote. */
export const authenticateAnswerSchema = z.object({ header: z.record(z.string(), z.string()) });

/** Part of a repository's name: OWNER or NAME. */
export const repositoryPart = z
  .string()
  .max(objectLimits.repositoryPartLength)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/)
  .refine((name) => !name.includes('..') && !/\.(?:git|lock)$/i.test(name));

/** User names are for people and for Basic authentication, which cannot carry a colon. */
export const userName = z
  .string()
  .max(objectLimits.userCodePoints)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/);

export type Access = 'read' | 'write';
