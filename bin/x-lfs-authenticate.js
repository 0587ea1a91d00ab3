#!/usr/bin/env node
import { launch } from './launcher.js';

await launch('cli/authenticate-main');
