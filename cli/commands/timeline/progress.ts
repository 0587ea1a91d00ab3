import type { SingleBar } from 'cli-progress';
import type { TimelineJobRecord } from '../../../model/timeline-job.ts';

const format = 'Reading [{bar}] {percentage}% | {points} points';
/** A bar that is there for a blink only irritates. */
const patienceMs = 300;

/** Shows on standard error how far a job is, if that is a terminal and the job takes long enough to look at it. */
export class TimelineProgressBar {
  readonly #startedAt = performance.now();
  #bar: SingleBar | undefined;
  #isLineShown = false;

  async show(job: TimelineJobRecord): Promise<void> {
    const isSoon = performance.now() - this.#startedAt < patienceMs;
    if (!process.stderr.isTTY || isSoon) return;
    if (job.state === 'queued') this.#showLine();
    else await this.#showBar(job);
  }

  remove(): void {
    this.#bar?.stop();
    this.#removeLine();
  }

  #showLine(): void {
    if (!this.#isLineShown) process.stderr.write('Waiting for other timelines to be done …');
    this.#isLineShown = true;
  }

  #removeLine(): void {
    if (this.#isLineShown) process.stderr.write('\r\u001B[K');
    this.#isLineShown = false;
  }

  async #showBar({ processed_observations: done, total_observations: total }: TimelineJobRecord) {
    if (total === undefined || total === 0) return;
    const payload = { points: `${done.toLocaleString('en-US')}/${total.toLocaleString('en-US')}` };
    if (this.#bar === undefined) {
      this.#removeLine();
      const { default: progress } = await import('cli-progress');
      this.#bar = new progress.SingleBar({
        format,
        stream: process.stderr,
        clearOnComplete: true,
        hideCursor: true,
        // Ctrl-C is the command's: it cancels the job.
        gracefulExit: false,
        barsize: 28,
      });
      this.#bar.start(total, done, payload);
    }
    this.#bar.update(done, payload);
  }
}
