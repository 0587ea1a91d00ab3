import { disturb, throwAbout } from './flaws.ts';
import { gpxFiles, type GpxFile } from './gpx-files.ts';
import { makeJourney } from './journey.ts';
import type { Profile } from './profile.ts';
import { record, type Fix, type Span } from './recorder.ts';
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

/** The same profile and seed give the same bytes. @param days instead of the profile's. */
export function makeScene(profile: Profile, seed: number, days = profile.days): Scene {
  const { isFlawed = false, hasTowers = false, otherDeviceS } = profile;
  const journey = makeJourney(seed, days, profile.customs);
  const phone = record(journey, profile, seed + 1_000_003);
  let fixes = [...phone.fixes];
  if (isFlawed) fixes = disturb(fixes, seed + 2_000_003);
  if (hasTowers) fixes = throwAbout(fixes, seed + 6_000_011);
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

/** The parts of a span that others cover. */
function common({ startMs, endMs }: Span, others: readonly Span[]): Span[] {
  return others
    .map((other) => ({
      startMs: Math.max(startMs, other.startMs),
      endMs: Math.min(endMs, other.endMs),
    }))
    .filter((part) => part.endMs > part.startMs);
}
