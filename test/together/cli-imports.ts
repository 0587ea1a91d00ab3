import '../cli-export.test.ts';
import '../cli-import.test.ts';
import '../cli-imports.test.ts';
import '../cli-map.test.ts';
import '../cli-objects-transfer.test.ts';
import '../cli-geodata.test.ts';
import '../mirror-merge.test.ts';
