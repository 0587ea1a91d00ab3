/**
 * Node's `http`. An `import` of it would read each of its exports, and with one of them load all of `fetch`: 13 MB and 30 ms
 * of every start that no server needs.
 */
export const http = process.getBuiltinModule('node:http');
