import type { FailureStyle } from '../http/failures.ts';
import type { ObjectsConfig } from './config.ts';
import { answerType } from './negotiate.ts';

const challenge = 'Basic realm="waypointd objects", charset="UTF-8"';
const bytesPath = /\/objects\/[^/]+\/content$/u;

/**
 * Failures as the clients of the object API read them: in its media type, but as plain JSON where bytes were asked for, because
 * clients drop bodies of any other type there. `LFS-Authenticate` spares people who look at a URL in a browser the
 * password box.
 */
export function objectFailures({ documentationUrl }: ObjectsConfig): FailureStyle {
  const fields = documentationUrl === undefined ? {} : { documentation_url: documentationUrl };
  return (ctx, { code }) => {
    if (!bytesPath.test(ctx.path)) ctx.set('Content-Type', answerType(ctx));
    if (code === 'unauthorized') {
      ctx.set({ 'WWW-Authenticate': challenge, 'LFS-Authenticate': challenge });
    }
    return fields;
  };
}
