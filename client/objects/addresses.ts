import type { Link } from '../../model/objects.ts';
import type { NodeAnswer } from '../node-request.ts';
import { ObjectClientError } from './object-error.ts';

const followedForGet = new Set([301, 302, 303, 307]);

/** Where a client may go. */
export interface Territory {
  /** URL of the repository. */
  readonly base: URL;
  /** Origins that links and redirections may lead to; any when undefined. */
  readonly origins: readonly string[] | undefined;
}

/** @throws TypeError when it is no URL of a repository. */
export function repositoryUrl(text: string): URL {
  const url = URL.parse(text.replace(/\/+$/u, ''));
  const extras = url && url.username + url.password + url.search + url.hash;
  if (url === null || !isWeb(url) || extras !== '') {
    throw new TypeError('The URL of a repository is https://host/OWNER/NAME.');
  }
  return url;
}

/** A link with its whole URL: servers may leave out what it has in common with the one that was asked. */
export function resolveLink({ href, header }: Link, asked: URL): Link {
  return { href: URL.parse(href, asked.href)?.href ?? href, ...(header && { header }) };
}

/** @throws ObjectClientError protocol when the link leads where it may not. */
export function linkUrl({ href }: Link, territory: Territory): URL {
  return checked(URL.parse(href), territory.base, territory, 'The server gave a link');
}

/**
 * The target of an allowed redirect of an API call. 308 is not a redirect here.
 * @param from what was asked
 * @throws ObjectClientError protocol
 */
export function redirectionOf(
  { status, headers }: NodeAnswer,
  method: string,
  from: URL,
  territory: Territory,
): URL | undefined {
  const isFollowed = method === 'GET' ? followedForGet.has(status) : status === 307;
  const { location } = headers;
  if (!isFollowed || location === undefined) return undefined;
  return checked(URL.parse(location, from.href), from, territory, 'The server redirects');
}

function checked(url: URL | null, from: URL, { origins }: Territory, what: string): URL {
  const fail = (how: string) => new ObjectClientError('protocol', `${what} ${how}.`);
  // Node would make an Authorization of a user name in a URL.
  if (url === null || !isWeb(url) || url.username + url.password !== '') {
    throw fail('that leads nowhere');
  }
  if (from.protocol === 'https:' && url.protocol === 'http:') throw fail('from https to http');
  if (origins !== undefined && !origins.includes(url.origin)) throw fail('to a foreign host');
  return url;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}
