type Lists = readonly unknown[];

/** One field of each element. */
export function valuesOf<List extends Lists, Key extends keyof List[number]>(list: List, key: Key) {
  return list.map((element: List[number]) => element[key]);
}

/** Some fields of each element, as a row. */
export function rowsOf<List extends Lists, Key extends keyof List[number]>(
  list: List,
  ...keys: Key[]
) {
  return list.map((element: List[number]) => keys.map((key) => element[key]));
}
