/** The client service layer: what a user interface needs of waypointd, in browsers, Electron and Node.js alike. */
export { RequestFailure } from './request-failure.ts';
export type { DaemonAccess, ServiceOptions } from './requests.ts';
export { WaypointService, type TimelineSubmission } from './service.ts';
export type {
  ListenerErrorHandler,
  SignalListener,
  SignalName,
  WaypointSignals,
} from './signals.ts';
export type * from './types.ts';
export type { GeodataStatus } from '../../model/geodata.ts';
export type { ChangesAnswer, UndoneAnswer } from '../../model/change.ts';
export type { CorrectionAnswer, CorrectionsAnswer, NewCorrection } from '../../model/correction.ts';
export type { ImportResult, ImportStatus } from '../../model/import.ts';
export type { LifePlace, PlacesAnswer, Summary } from '../../model/life.ts';
export type { LocationFix, VersionInfo } from '../../model/process.ts';
export type { HistoryEntry, Suggestion } from '../../model/search.ts';
export type { TimelineJobRecord } from '../../model/timeline-job.ts';
export type { TileJson, TrackDays, TrackPoints, Tracks } from '../../model/tracks.ts';
export type { HiddenAnswer, RenamedTag } from '../../model/waypoint.ts';
