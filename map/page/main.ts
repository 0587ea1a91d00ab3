import './map-worker.ts';
import { startApp } from './app.tsx';
import { followArchive, followPeriod } from './archive.ts';
import { followDay } from './day.ts';
import { followView } from './places.ts';
import { isLost, watchDaemon } from './service.ts';
import { offerUndo } from './undo.ts';
import { followYear } from './year.ts';

startApp();
if (!isLost.value) {
  offerUndo();
  followArchive();
  followPeriod();
  followDay();
  followView();
  followYear();
  void watchDaemon();
}
