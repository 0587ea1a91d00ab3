import '../timeline-edges.test.ts';
import '../timeline-jobs.test.ts';
import '../timeline-quality.test.ts';
import '../timeline-sources.test.ts';
import '../tiles.test.ts';
import '../export.test.ts';
import '../mirror.test.ts';
