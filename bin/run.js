#!/usr/bin/env node
import { runTool } from './launcher.js';

runTool(process.argv.slice(2));
