import type { Profile } from './profile.ts';
import { makeScene } from './scene.ts';
import { scoreOf, type Score } from './score.ts';
import { importFiles, parseTimeline, timelineText, type Geodata } from './timeline-of.ts';

/** Generates a scene, imports its files, makes its timeline and compares it with the truth. @param days as makeScene */
export function evaluate(
  profile: Profile,
  seed: number,
  geodata: Geodata,
  days = profile.days,
): Score {
  const scene = makeScene(profile, seed, days);
  const library = importFiles(scene.files);
  try {
    return scoreOf(parseTimeline(timelineText(library.path, scene, geodata)), scene.truth);
  } finally {
    library.remove();
  }
}
