import { SignatureV4 } from '@smithy/signature-v4';
import type { Link } from '../../../model/objects.ts';
import type { Bucket } from './bucket.ts';

/** A link is signed for this long; the bucket takes a header's signature for 15 minutes from the second it was made. */
export const linkLifeSeconds = 600;

/** Tells on the content for which repository it was sent. */
export const repositoryMark = 'waypointd-repository';

export interface SignedLinks {
  /** A PUT of nothing but these bytes: the bucket itself compares them with their SHA-256, which is signed. */
  readonly upload: (key: string, content: SignedContent) => Promise<Link>;
  /** A GET of one key. */
  readonly download: (key: string) => Promise<Link>;
}

/** Signed, and set by each client itself. */
const byClients = new Set(['host', 'content-length']);

interface SignedContent {
  readonly oid: string;
  readonly size: number;
  readonly repositoryId: number;
}

/** Makes links by which clients reach a bucket without us. */
export function signedLinks({ place, client }: Bucket): SignedLinks {
  const { region, credentials, sha256 } = client.config;
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials,
    sha256,
    uriEscapePath: false,
  });
  const base = baseUrl(place);
  const requestOf = (method: string, key: string) => {
    const url = new URL(`${base}/${key}`);
    const { protocol, hostname, host, pathname: path } = url;
    const port = url.port === '' ? {} : { port: Number(url.port) };
    return { url, request: { method, protocol, hostname, ...port, path, query: {}, host } };
  };
  return {
    async upload(key, { oid, size, repositoryId }) {
      const { url, request } = requestOf('PUT', key);
      const headers = {
        host: request.host,
        // Each client sends the length by itself; another than the announced one has another signature.
        'content-length': String(size),
        'content-type': 'application/octet-stream',
        'x-amz-content-sha256': oid,
        [`x-amz-meta-${repositoryMark}`]: String(repositoryId),
      };
      const signed = await signer.sign({ ...request, headers });
      const ours = Object.entries(signed.headers).filter(([name]) => !byClients.has(name));
      return { href: url.href, header: Object.fromEntries(ours) };
    },
    async download(key) {
      const { url, request } = requestOf('GET', key);
      const headers = { host: request.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
      const signed = await signer.presign({ ...request, headers }, { expiresIn: linkLifeSeconds });
      for (const [name, value] of Object.entries(signed.query ?? {}))
        url.searchParams.set(name, String(value));
      return { href: url.href };
    },
  };
}

function baseUrl({ endpoint, region, bucket, isPathStyle }: Bucket['place']): string {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const path = url.pathname.replace(/\/+$/u, '');
  if (isPathStyle) return `${url.origin}${path}/${bucket}`;
  return `${url.protocol}//${bucket}.${url.host}${path}`;
}
