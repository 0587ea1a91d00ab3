import { fromIni } from '@aws-sdk/credential-provider-ini';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
  type CompletedPart,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
} from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { WaypointError } from '../../../model/failure.ts';
import { bucketFault, isMissing } from './bucket-faults.ts';
import { partsOf } from './parts-of.ts';

/** Where a bucket is, and who asks for it. */
export interface BucketPlace {
  /** URL of the S3 API; undefined for that of the region at Amazon. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of all keys, without a trailing slash; may be empty. */
  readonly prefix: string;
  /** Whether the bucket stands in the path, not in the name of the host. */
  readonly isPathStyle: boolean;
  /** A file as the AWS tools keep one; undefined for their environment variables, or their own file. */
  readonly credentialsFile: string | undefined;
}

export interface BucketEntry {
  readonly key: string;
  readonly size: number;
  readonly storedMs: number;
}

/** A request that moves no content is over in this time, or the bucket is too slow. */
const answerMs = 15_000;
/** The largest that S3 takes, or copies, at once. */
export const largestAtOnce = 5 * 1_073_741_824;
const copyPartBytes = 1_073_741_824;
/** Twice what a server has connections: however many write slowly, others get through. */
const sockets = 1_024;
/** One part is in memory; there are at most 10,000 of them. */
const partBytes = 16_777_216;
const mostParts = 10_000;
/**
 * Parts in memory at once, of the smallest size; 429 beyond. Those of one user are at most half of
 * what the others leave.
 */
const partsHeld = 16;
/** The largest content, for that reason: 64 MiB a part. */
export const largestContent = 4 * partBytes * mostParts;

/** A bucket of an S3 API. Every failure is a WaypointError, but what a source throws. */
export class Bucket {
  readonly place: BucketPlace;
  readonly client: S3Client;
  readonly #largestAtOnce: number;
  readonly #heldBytes = new Map<number, number>();

  /** @param largest for tests: what is larger goes in parts. */
  constructor(place: BucketPlace, largest = largestAtOnce) {
    const { endpoint, region, isPathStyle, credentialsFile } = place;
    this.place = place;
    this.#largestAtOnce = largest;
    this.client = new S3Client({
      region,
      forcePathStyle: isPathStyle,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(credentialsFile === undefined
        ? {}
        : { credentials: fromIni({ filepath: credentialsFile }) }),
      maxAttempts: 3,
      // It would write to the standard error of a command.
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      // Other servers than Amazon's do not know the newer checksums; the SHA-256 of the content is signed instead.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: 5_000,
        socketTimeout: 30_000,
        httpAgent: { keepAlive: true, maxSockets: sockets },
        httpsAgent: { keepAlive: true, maxSockets: sockets },
      },
    });
  }

  /** Size and metadata of what is stored; undefined where there is none. */
  async head(key: string) {
    const command = new HeadObjectCommand(this.#at(key));
    const found = await this.client
      .send(command, { abortSignal: AbortSignal.timeout(answerMs) })
      .catch(undefinedWhereMissing);
    if (found === undefined) return undefined;
    return { size: found.ContentLength ?? 0, metadata: found.Metadata ?? {} };
  }

  /** Bytes `from`…`to` (exclusive); undefined where there is none. */
  async read(
    key: string,
    from: number,
    to: number,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    const range = to > from ? { Range: `bytes=${from}-${to - 1}` } : {};
    const command = new GetObjectCommand({ ...this.#at(key), ...range });
    const found = await this.client.send(command).catch(undefinedWhereMissing);
    // Sound: on Node.js the body is a stream of its own.
    return found && tellingFaults(found.Body as Readable);
  }

  /** Stores a content whose bytes the bucket compares with their SHA-256; those of a larger one part by part. */
  async write(
    key: string,
    oid: string,
    size: number,
    source: AsyncIterable<Uint8Array>,
    by = 0,
  ): Promise<void> {
    const body = Readable.from(source, { objectMode: false });
    // The package listens for no fault of what it sends: it would end the process, and the request would wait.
    const failing = new AbortController();
    body.once('error', () => failing.abort());
    try {
      if (size > this.#largestAtOnce) return await this.#writeParts(this.#at(key), size, body, by);
      const target = { ...this.#at(key), Body: body, ContentLength: size };
      const command = signedAs(oid, new PutObjectCommand(target));
      await this.client.send(command, { abortSignal: failing.signal });
    } catch (error) {
      throw body.errored ?? bucketFault(error);
    } finally {
      body.destroy();
    }
  }

  async copy(from: string, to: string, size: number): Promise<void> {
    const [target, CopySource] = [this.#at(to), `${this.place.bucket}/${from}`];
    const copying =
      size > this.#largestAtOnce
        ? this.#copyParts(target, CopySource, size)
        : this.client.send(new CopyObjectCommand({ ...target, CopySource }));
    await copying.catch(rethrow);
  }

  async remove(key: string): Promise<void> {
    await this.client.send(new DeleteObjectCommand(this.#at(key))).catch(rethrow);
  }

  /** All below a prefix, in order of key. */
  async *list(prefix: string): AsyncGenerator<BucketEntry> {
    const asked = { Bucket: this.place.bucket, Prefix: prefix };
    try {
      for await (const page of paginateListObjectsV2({ client: this.client }, asked)) {
        for (const { Key: key = '', Size: size = 0, LastModified: at } of page.Contents ?? [])
          yield { key, size, storedMs: at?.getTime() ?? 0 };
      }
    } catch (error) {
      throw bucketFault(error);
    }
  }

  /** Gives up uploads in parts that began before a time and were never finished. @param isOurs tells by the key. */
  async abandonParts(prefix: string, beforeMs: number, isOurs: (key: string) => boolean) {
    for await (const { Key = '', UploadId, Initiated: begun } of this.#unfinished(prefix)) {
      if (!isOurs(Key) || (begun?.getTime() ?? Infinity) >= beforeMs) continue;
      const abort = new AbortMultipartUploadCommand({ ...this.#at(Key), UploadId });
      await this.client.send(abort).catch(undefinedWhereMissing);
    }
  }

  async *#unfinished(Prefix: string): AsyncGenerator<MultipartUpload> {
    let page: ListMultipartUploadsCommandOutput | undefined;
    do {
      const after = { KeyMarker: page?.NextKeyMarker, UploadIdMarker: page?.NextUploadIdMarker };
      const asked = { Bucket: this.place.bucket, Prefix, ...after };
      page = await this.client.send(new ListMultipartUploadsCommand(asked)).catch(rethrow);
      yield* page.Uploads ?? [];
    } while (page.IsTruncated === true && page.NextKeyMarker !== undefined);
  }

  close(): void {
    this.client.destroy();
  }

  async #writeParts(
    target: ObjectAt,
    size: number,
    source: AsyncIterable<Uint8Array>,
    by: number,
  ): Promise<void> {
    const least = Math.min(partBytes, this.#largestAtOnce);
    const step = Math.max(least, Math.ceil(size / mostParts));
    const own = this.#heldBytes.get(by) ?? 0;
    const all = [...this.#heldBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    if (own + step > (partsHeld * least - (all - own)) / 2)
      throw new WaypointError('busy', { retryAfterSeconds: 30 });
    this.#heldBytes.set(by, own + step);
    const parts = this.#inParts(target, async function* () {
      for await (const Body of partsOf(source, step)) {
        const sha256 = createHash('sha256').update(Body).digest('hex');
        yield (part) => signedAs(sha256, new UploadPartCommand({ ...part, Body }));
      }
    });
    await parts.finally(() => {
      const left = (this.#heldBytes.get(by) ?? 0) - step;
      if (left > 0) this.#heldBytes.set(by, left);
      else this.#heldBytes.delete(by);
    });
  }

  async #copyParts(target: ObjectAt, CopySource: string, size: number): Promise<void> {
    const step = Math.min(copyPartBytes, this.#largestAtOnce);
    await this.#inParts(target, async function* () {
      for (let at = 0; at < size; at += step) {
        const CopySourceRange = `bytes=${at}-${Math.min(size, at + step) - 1}`;
        yield (part) => new UploadPartCopyCommand({ ...part, CopySource, CopySourceRange });
      }
    });
  }

  /** Nothing is seen of an upload in parts before the last one is there, and nothing is left of one that fails. */
  async #inParts(target: ObjectAt, commands: () => AsyncGenerator<PartCommand>): Promise<void> {
    const begin = new CreateMultipartUploadCommand(target);
    const { UploadId } = await this.client.send(begin).catch(rethrow);
    try {
      const Parts: CompletedPart[] = [];
      for await (const command of commands()) {
        const PartNumber = Parts.length + 1;
        const made = command({ ...target, UploadId, PartNumber });
        const told =
          made instanceof UploadPartCommand
            ? await this.client.send(made)
            : (await this.client.send(made)).CopyPartResult;
        Parts.push({ PartNumber, ETag: told?.ETag });
      }
      const whole = { ...target, UploadId, MultipartUpload: { Parts } };
      await this.client.send(new CompleteMultipartUploadCommand(whole));
    } catch (error) {
      const abort = new AbortMultipartUploadCommand({ ...target, UploadId });
      await this.client.send(abort).catch(() => undefined);
      throw error;
    }
  }

  #at(key: string) {
    return { Bucket: this.place.bucket, Key: key };
  }
}

interface ObjectAt {
  readonly Bucket: string;
  readonly Key: string;
}

/** Sends or copies a part. */
type PartCommand = (
  part: ObjectAt & { UploadId: string | undefined; PartNumber: number },
) => UploadPartCommand | UploadPartCopyCommand;

/** Signs a request with the SHA-256 that its bytes must have, which the bucket then checks. */
function signedAs<Command extends PutObjectCommand | UploadPartCommand>(
  sha256: string,
  command: Command,
): Command {
  // Sound: both kinds take the same steps.
  const { middlewareStack: steps } = command as PutObjectCommand;
  steps.add(
    (next) => (call) => {
      // Sound: what is built in this step is a request of HTTP.
      (call.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] =
        sha256;
      return next(call);
    },
    { step: 'build', name: 'signedAs' },
  );
  return command;
}

async function* tellingFaults(source: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of source) yield piece as Uint8Array;
  } catch (error) {
    throw bucketFault(error);
  }
}

function rethrow(error: unknown): never {
  throw bucketFault(error);
}

function undefinedWhereMissing(error: unknown): undefined {
  if (!isMissing(error)) throw bucketFault(error);
  return undefined;
}
