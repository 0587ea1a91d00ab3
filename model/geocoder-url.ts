/** The servers of the OpenStreetMap Foundation. */
const publicHosts = ['openstreetmap.org', 'osm.org'];
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Says what is wrong with the address of a geocoding server, in words that end a sentence; undefined when it may be used.
 * Typed texts go there, so they must not cross a network in clear.
 */
export function geocoderUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return 'it is a URL such as https://geocoder.example.org';
  if (url.protocol === 'http:' && !loopbackHost.test(url.hostname))
    return 'it begins with https:// (http:// is for a server on this machine only)';
  if (text.includes('?') || text.includes('#')) return 'it has neither "?" nor "#"';
  if (isPublic(url.hostname)) {
    return 'the usage policy of the public OpenStreetMap servers forbids looking up a text while it is typed; it is a server of your own, or one that allows that';
  }
  return undefined;
}

function isPublic(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  return publicHosts.some((name) => host === name || host.endsWith(`.${name}`));
}
