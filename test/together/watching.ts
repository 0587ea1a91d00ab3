import '../watch-again.test.ts';
import '../watch.test.ts';
