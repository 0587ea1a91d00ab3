import type { ExportFormat } from '../../model/export.ts';
import { csvExport } from './csv-export.ts';
import type { ExportWriter } from './export-writer.ts';
import { geojsonExport } from './geojson-export.ts';
import { gpxExport } from './gpx-export.ts';
import { kmlExport } from './kml-export.ts';

export type { ExportWriter } from './export-writer.ts';

const writers: Readonly<Record<ExportFormat, (time: string) => ExportWriter>> = {
  gpx: gpxExport,
  geojson: geojsonExport,
  kml: kmlExport,
  csv: csvExport,
};

/**
 * Makes the writer of a format.
 * @param time when the export is made, ISO 8601 UTC; GPX files say so.
 */
export function exportWriter(format: ExportFormat, time: string): ExportWriter {
  return writers[format](time);
}
