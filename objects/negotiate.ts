import { headerValues, type Context } from '../http/context.ts';
import { WaypointError } from '../model/failure.ts';
import { gitLfsMediaType, objectMediaType } from '../model/objects.ts';

/** Types of JSON bodies that are read. */
export const bodyTypes = [objectMediaType, gitLfsMediaType, 'application/json'];

const acceptable = new Set([...bodyTypes, 'application/*', '*/*']);

/**
 * The media type to answer in: that of the specification, or of git-lfs for clients that name it, which drop bodies of
 * any other. Without Accept the request's own type decides.
 */
export function answerType(ctx: Context): string {
  const accepted = mediaTypes(ctx, 'accept');
  const named = accepted.length > 0 ? accepted : mediaTypes(ctx, 'content-type');
  return named.includes(gitLfsMediaType) ? gitLfsMediaType : objectMediaType;
}

/** @throws WaypointError not_acceptable where Accept names nothing we have. */
export function checkAccept(ctx: Context): void {
  const accepted = mediaTypes(ctx, 'accept');
  if (accepted.length > 0 && !accepted.some((type) => acceptable.has(type))) {
    throw new WaypointError('not_acceptable');
  }
}

/** The media types a header names, without their parameters. */
function mediaTypes(ctx: Context, name: string): string[] {
  return headerValues(ctx, name)
    .flatMap((value) => value.split(','))
    .map((part) => (part.split(';', 1)[0] ?? '').trim().toLowerCase())
    .filter((type) => type !== '');
}
