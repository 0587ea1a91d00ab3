import '../geodata-api.test.ts';
import '../geodata-install.test.ts';
