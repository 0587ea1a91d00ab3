const { workerData } = require('node:worker_threads');
const { runBundle } = require('./bundle.js');

// Every thread of `dist` starts here. Piscina finds its tasks by `require`.
module.exports = runBundle(new URL(workerData));
