import '../cli-days.test.ts';
import '../timeline-story.test.ts';
import '../cli-mishaps.test.ts';
import '../cli-output.test.ts';
import '../cli-timeline.test.ts';
import '../cli-waypoints.test.ts';
