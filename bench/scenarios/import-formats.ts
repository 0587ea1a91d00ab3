import { readFileSync } from 'node:fs';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { writeRecording, type GeneratedSource, type RecordingFile } from '../data.ts';
import { atMost, timesAtMost } from '../report/figure.ts';
import { counted, scenario } from '../scenario.ts';
import { seed } from '../session.ts';
import { importOnce } from './import-speed.ts';

/** A format, and how many times the CPU of the same points as GPX, or of fast-xml-parser alone, it may take. */
interface Subject {
  readonly name: RecordingFile;
  readonly points: number;
  readonly mostTimes?: number;
}

interface Sources {
  readonly own: GeneratedSource;
  readonly gpx: GeneratedSource;
}

const mostMb = 250;

/** How fast files of other formats become rows on disk, beside the same points as GPX. */
export const importFormats = scenario<Subject, Sources>({
  name: 'import-formats',
  title: 'other formats, committed',
  subjects: ({ sizes }) => {
    const points = sizes.at(-1) ?? 10_000;
    // 400 MB beside 1,000,000 points.
    const largest: Subject = { name: 'Records.json', points: 1_700_000, mostTimes: 12 };
    return [
      ...(points < 1_000_000 ? [] : [largest]),
      { name: 'watch.fit', points, mostTimes: 1.2 },
      { name: 'Records.json', points, mostTimes: 12 },
      { name: 'log.rec', points, mostTimes: 6 },
      { name: 'run.tcx', points, mostTimes: 1.3 },
      { name: 'track.kml', points, mostTimes: 1.3 },
      { name: 'points.geojson', points },
      { name: 'log.csv', points },
      { name: 'log.nmea', points },
    ];
  },
  label: ({ name, points }) => `${name}, ${counted(points, 'points')}`,
  prepare: (session, { name, points }) =>
    Promise.resolve({
      own: session.source(`${name} ${points}`, (directory) =>
        writeRecording(directory, name, { seed, points }),
      ),
      gpx: session.track(points),
    }),
  run: async (session, { own, gpx }, { name }) => {
    const { cpuMs, peak } = await importOnce(session, own);
    const against = isXml(name) ? parserCpuMs(own) : (await importOnce(session, gpx))['cpuMs'];
    return { cpuMs, peak, against };
  },
  figures: ({ name, mostTimes }) => [
    {
      what: 'CPU',
      unit: 'ms',
      of: 'cpuMs',
      against: [isXml(name) ? 'fast-xml-parser alone' : 'as GPX', 'against', 'cost'],
      bar: mostTimes === undefined ? undefined : timesAtMost(mostTimes),
    },
    { what: 'peak resident memory', unit: 'MB', of: 'peak', bar: atMost(mostMb) },
  ],
});

function isXml(name: string): boolean {
  return name.endsWith('.tcx') || name.endsWith('.kml');
}

/** What validating and parsing a file takes when nothing is done with it. */
function parserCpuMs({ files: [file = ''] }: GeneratedSource): number {
  const before = process.cpuUsage();
  const text = readFileSync(file, 'utf8');
  XMLValidator.validate(text);
  new XMLParser({ preserveOrder: true, ignoreAttributes: false, parseTagValue: false }).parse(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
