import { formatTime } from '../../model/time.ts';
import { fieldNames, type FieldName, type WaypointFields } from '../../model/waypoint-fields.ts';
import { csvLine, withoutFormula } from './csv.ts';
import { rawTags, type ExportWriter } from './export-writer.ts';

const firstFields: readonly FieldName[] = ['ele', 'time', 'desc'];
const furtherFields = fieldNames.filter((name) => !firstFields.includes(name));
const pointColumns = ['name', 'lat', 'lon', ...firstFields, 'bookmark', 'tags'];
const columns = [...pointColumns, ...furtherFields, 'kind', 'line', 'segment'];

/** One table: a row for each waypoint and for each point of a track or route, whose name and type are those of its line. */
export function csvExport(): ExportWriter {
  let line = 0;
  let segment = 0;
  let last: { readonly line: number; readonly segment: number } | undefined;
  return {
    head: csvLine(columns),
    waypoint(waypoint) {
      const { name, lat, lon, bookmark } = waypoint;
      return csvLine([
        withoutFormula(name),
        String(lat),
        String(lon),
        ...firstFields.map((field) => cell(waypoint[field])),
        String(bookmark),
        withoutFormula(rawTags(waypoint).join(';')),
        ...furtherFields.map((field) => cell(waypoint[field])),
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
      const further = furtherFields.map((field) => cell((texts as WaypointFields)[field]));
      const after = [...further, kind, String(line), String(segment)];
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

function cell(value: WaypointFields[FieldName]): string {
  if (typeof value === 'number') return String(value);
  if (value === undefined || typeof value === 'string') return withoutFormula(value ?? '');
  return withoutFormula(value.map(({ href }) => href).join(' '));
}
