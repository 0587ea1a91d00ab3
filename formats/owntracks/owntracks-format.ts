import { FileRefused } from '../refused.ts';
import { recordedBy, type Format } from '../format.ts';
import { degreesOf, elements, member, numberOf, textOf, timeOf } from '../json/json-values.ts';
import type { Recording } from '../points/recording.ts';
import { missingTime } from '../points/point-values.ts';
import { Lines } from '../text/lines.ts';

/** When it came, of what kind it is, and what was sent. */
const record = /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:?\d\d)?[\t ]+[^\s{]+[\t ]+\{/m;

/** The log of an OwnTracks recorder: a line for each message. */
export const owntracksFormat: Format = {
  name: 'owntracks',
  recognises: (head) => record.test(head.toString('latin1')),
  read: recordedBy((recording) => {
    const take = (reason: 'not_json' | 'truncated') => (line: string, number: number) => {
      const json = line.indexOf('{');
      if (json < 0) return;
      takeMessage(recording, parse(line.slice(json), reason, number));
    };
    return new Lines(take('not_json'), take('truncated'));
  }),
};

/** Messages of other kinds, encrypted ones among them, say no position. */
function takeMessage(recording: Recording, message: unknown): void {
  const type = member(message, '_type');
  if (type === 'waypoints') {
    for (const waypoint of elements(member(message, 'waypoints'))) takeMessage(recording, waypoint);
    return;
  }
  if (type !== 'location' && type !== 'waypoint') return;
  const lat = degreesOf(member(message, 'lat'), 90);
  const lon = degreesOf(member(message, 'lon'), 180);
  if (type === 'waypoint') {
    // Its time is that of its making.
    const name = textOf(member(message, 'desc'));
    recording.waypoint(lat, lon, Number.NaN, missingTime, { name });
    return;
  }
  // A negative accuracy of the height is how an iPhone says that it knows none.
  const ele = numberOf(member(message, 'vac')) < 0 ? Number.NaN : numberOf(member(message, 'alt'));
  const timeMs = timeOf(member(message, 'tst'));
  recording.trackPoint(lat, lon, ele, timeMs, numberOf(member(message, 'acc')));
}

function parse(text: string, reason: 'not_json' | 'truncated', line: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Its message would quote the content of the file.
    throw new FileRefused(reason, line);
  }
}
