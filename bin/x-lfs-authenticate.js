#!/usr/bin/env node
void require('./launcher.js').launch('cli/authenticate-main');
