import { formatTime } from '../../model/time.ts';
import type { Waypoint } from '../../model/waypoint.ts';
import { csvLine, withoutFormula } from './csv.ts';
import { rawTags, type ExportWriter } from './export-writer.ts';

const columns =
  'name,lat,lon,ele,time,desc,bookmark,tags,sym,type,cmt,src,links,kind,line,segment'.split(',');

/** One table: a row for each waypoint and for each point of a track or route, whose name and type are those of its line. */
export function csvExport(): ExportWriter {
  let line = 0;
  let segment = 0;
  let last: { readonly line: number; readonly segment: number } | undefined;
  return {
    head: csvLine(columns),
    waypoint(waypoint) {
      const { name, lat, lon, ele, time, desc, bookmark, sym } = waypoint;
      return csvLine([
        withoutFormula(name),
        String(lat),
        String(lon),
        ele === undefined ? '' : String(ele),
        time ?? '',
        withoutFormula(desc ?? ''),
        String(bookmark),
        withoutFormula(rawTags(waypoint).join(';')),
        withoutFormula(sym ?? ''),
        ...furtherCells(waypoint),
        'waypoint',
        '',
        '',
      ]);
    },
    points(given) {
      const isSameLine = last?.line === given.line;
      if (!isSameLine) line += 1;
      segment = !isSameLine ? 1 : last?.segment === given.segment ? segment : segment + 1;
      last = given;
      const { kind, texts } = given;
      const after = ['', ...furtherCells(texts), kind, String(line), String(segment)];
      const rows = given.points.map(({ lat, lon, ele, timeMs, name }) =>
        csvLine([
          withoutFormula(name ?? texts.name ?? ''),
          String(lat),
          String(lon),
          Number.isNaN(ele) ? '' : String(ele),
          Number.isNaN(timeMs) ? '' : formatTime(timeMs),
          '',
          'false',
          '',
          ...after,
        ]),
      );
      return [rows.join('')];
    },
    end: () => [],
  };
}

type Further = Partial<Pick<Waypoint, 'type' | 'cmt' | 'src' | 'links'>>;

function furtherCells({ type = '', cmt = '', src = '', links = [] }: Further): string[] {
  return [type, cmt, src, links.map(({ href }) => href).join(' ')].map(withoutFormula);
}
