#!/usr/bin/env node
require('./launcher.js').runTool(process.argv.slice(2));
