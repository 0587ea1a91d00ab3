import { disturb } from './flaws.ts';
import { gpxFiles, type GpxFile } from './gpx-files.ts';
import { freeze } from './frozen.ts';
import { makeJourney, type Journey } from './journey.ts';
import type { Profile } from './profile.ts';
import { record, type Fix, type Span } from './recorder.ts';
import { Trail } from './trail.ts';
import { truthOf, type Truth } from './truth.ts';

/** A recorded journey as files, and what really happened. */
export interface Scene {
  readonly files: readonly GpxFile[];
  readonly truth: Truth;
  /** In the order of the files. */
  readonly fixes: readonly Fix[];
  /** The UTC days that hold everything, since 1970, both inclusive. */
  readonly startDay: number;
  readonly endDay: number;
}

const dayMs = 86_400_000;
const headStartMs = 3_600_000;

/** The same profile and seed give the same bytes. @param days instead of the profile's. */
export function makeScene(profile: Profile, seed: number, days = profile.days): Scene {
  const { hasWaits = false, hasQueues = false, isFlawed = false, freezes = false } = profile;
  const { otherDeviceS, leftAtHomeS } = profile;
  const journey = makeJourney(seed, { days, hasWaits, hasQueues });
  const phone = record(journey, profile, seed + 1_000_003);
  let fixes = [...phone.fixes];
  if (isFlawed) fixes = disturb(fixes, seed + 2_000_003);
  if (freezes) fixes = freeze(fixes, journey.visits, seed + 6_000_011);
  const files = gpxFiles(fixes, seed + 3_000_017, 'phone');
  const seen = [...phone.fixes];
  let { silences, holes } = phone;
  if (otherDeviceS !== undefined) {
    const watch = record(journey, { ...profile, intervalS: [otherDeviceS] }, seed + 4_000_037);
    files.push(...gpxFiles(watch.fixes, seed + 5_000_011, 'watch'));
    fixes.push(...watch.fixes);
    seen.push(...watch.fixes);
    silences = silences.flatMap((silence) => common(silence, watch.silences));
    holes = holes.flatMap((hole) => common(hole, watch.holes));
  }
  if (leftAtHomeS !== undefined) {
    const tablet = record(stillAtHome(journey), { ...profile, intervalS: [leftAtHomeS] }, seed + 7);
    files.push(...gpxFiles(tablet.fixes, seed + 8_000_009, 'tablet'));
    fixes.push(...tablet.fixes);
  }
  return {
    files,
    truth: truthOf(journey, {
      fixes: seen.toSorted((a, b) => a.timeMs - b.timeMs),
      silences,
      holes,
      isAsleepWhenStill: profile.wakeM !== undefined,
    }),
    fixes,
    startDay: Math.floor(journey.trail.startMs / dayMs),
    endDay: Math.floor(journey.trail.endMs / dayMs),
  };
}

/** What happens to a device that is left where a journey begins; it is switched on some hours before. */
function stillAtHome({ trail, visits }: Journey): Pick<Journey, 'trail' | 'visits' | 'rides'> {
  const [startMs, endMs] = [trail.startMs - headStartMs, trail.endMs];
  const home = trail.at(trail.startMs);
  const still = new Trail();
  for (const timeMs of [startMs, endMs]) still.add(timeMs, home);
  const { country } = visits[0]!;
  return { trail: still, visits: [{ ...home, startMs, endMs, country }], rides: [] };
}

/** The parts of a span that others cover. */
function common({ startMs, endMs }: Span, others: readonly Span[]): Span[] {
  return others
    .map((other) => ({
      startMs: Math.max(startMs, other.startMs),
      endMs: Math.min(endMs, other.endMs),
    }))
    .filter((part) => part.endMs > part.startMs);
}
