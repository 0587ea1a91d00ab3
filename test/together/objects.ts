import '../objects-admin.test.ts';
import '../objects-api.test.ts';
import '../objects-locks.test.ts';
import '../objects-rows.test.ts';
