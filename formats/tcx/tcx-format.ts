import { elementFormat } from '../xml/element-format.ts';
import { TcxElements } from './tcx-elements.ts';

/** Garmin's Training Center Database. */
export const tcxFormat = elementFormat({
  name: 'tcx',
  root: 'TrainingCenterDatabase',
  runs: ['Trackpoint'],
  listener: (recording) => new TcxElements(recording),
});
