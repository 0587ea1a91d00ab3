/** Has a thing closed at the end of the block that uses it, however that ends: `using db = closing(openReader(path));`. */
export function closing<Thing extends { close(): unknown }>(thing: Thing): Thing & Disposable {
  return Object.assign(thing, { [Symbol.dispose]: () => void thing.close() });
}
