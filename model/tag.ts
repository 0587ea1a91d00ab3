import * as z from 'zod';
import { limits } from './limits.ts';
import { text } from './schema.ts';
import { normalizeText } from './text.ts';

/** A tag with its emoji (specification section 2); `emoji` and `name` are empty when the tag is unknown. */
export const tagSchema = z
  .object({
    raw: z.string(),
    emoji: z.string(),
    name: z.string(),
    display: z.string(),
    normal: z.string(),
    count: z
      .int()
      .optional()
      .meta({ description: 'Waypoints that have the tag; with counts=1 only.' }),
  })
  .meta({ id: 'Tag' });
export type Tag = z.output<typeof tagSchema>;

/** A raw tag, or a Tag object whose `raw` is taken. */
export const tagInput = z.union([
  text(limits.tagCodePoints),
  z.object({ raw: text(limits.tagCodePoints) }).transform((tag) => tag.raw),
]);

/** Tags as answers carry them: raw, or enriched with `emoji=true`. */
export const tagListSchema = z.array(z.union([z.string(), tagSchema]));

interface KnownTag {
  /** The word or the symbol that the emoji stands for. */
  readonly key: string;
  readonly emoji: string;
  readonly name: string;
}

function word(key: string, emoji: string): KnownTag {
  return { key, emoji, name: key };
}

const symbols: readonly KnownTag[] = [
  { key: '*', emoji: '⭐', name: 'star' },
  { key: '$', emoji: '💰', name: 'money' },
  { key: '!', emoji: '❗', name: 'important' },
  { key: '?', emoji: '❓', name: 'question' },
  { key: '+', emoji: '👍', name: 'good' },
  { key: '-', emoji: '👎', name: 'bad' },
  { key: '@', emoji: '📍', name: 'place' },
  { key: '#', emoji: '🔢', name: 'number' },
  { key: '%', emoji: '🏷️', name: 'sale' },
  { key: '&', emoji: '🔗', name: 'link' },
];

const words: readonly KnownTag[] = [
  word('home', '🏠'),
  word('work', '💼'),
  word('food', '🍽️'),
  word('coffee', '☕'),
  word('bar', '🍸'),
  word('hotel', '🏨'),
  word('camp', '⛺'),
  word('mountain', '⛰️'),
  word('summit', '🏔️'),
  word('beach', '🏖️'),
  word('swimming', '🏊'),
  word('diving', '🤿'),
  word('boat', '⛵'),
  word('harbour', '⚓'),
  word('forest', '🌲'),
  word('park', '🌳'),
  word('hiking', '🥾'),
  word('cycling', '🚴'),
  word('running', '🏃'),
  word('skiing', '⛷️'),
  word('viewpoint', '🔭'),
  word('photo', '📷'),
  word('museum', '🏛️'),
  word('castle', '🏰'),
  word('church', '⛪'),
  word('music', '🎵'),
  word('shop', '🛒'),
  word('fuel', '⛽'),
  word('parking', '🅿️'),
  word('airport', '✈️'),
  word('train', '🚆'),
  word('bus', '🚌'),
  word('hospital', '🏥'),
  word('school', '🏫'),
  word('friend', '👋'),
  word('todo', '📝'),
  word('done', '✅'),
  word('x', '❌'),
  word('restaurant', '🍴'),
  word('shopping', '🛍️'),
  word('bank', '🏦'),
  word('urgent', '🚨'),
  word('favorite', '❤️'),
  // Of those with one emoji, the one above is what the emoji stands for.
  word('gas', '⛽'),
  word('important', '❗'),
];

/** Emoji are written with and without the selector that asks for the coloured form; both are the same tag. */
const colourSelector = '\uFE0F';
const wordsByKey = new Map(words.map((known) => [known.key, known]));
const symbolsByKey = new Map(symbols.map((known) => [known.key, known]));
const emojiPattern = new RegExp(
  [...symbols, ...words]
    .map(({ emoji }) => `${emoji.replace(colourSelector, '')}${colourSelector}?`)
    .join('|'),
  'gu',
);
const keysByEmoji = new Map(
  [...symbols, ...words]
    .map(({ emoji, key }): [string, string] => [emoji.replace(colourSelector, ''), key])
    .reverse(),
);

/** The form in which tags are compared: NFC, lower case, trimmed, each known emoji replaced by its symbol or word. */
export function normalTag(raw: string): string {
  return normalizeText(raw)
    .replace(emojiPattern, (emoji) => keysByEmoji.get(emoji.replace(colourSelector, '')) ?? emoji)
    .toLowerCase()
    .normalize('NFC')
    .trim();
}

/** Adds emoji, name, display and normal form to a raw tag. */
export function enrichTag(raw: string): Tag {
  const normal = normalTag(raw);
  const symbol = symbolsByKey.get(normal.slice(0, 1));
  if (symbol !== undefined && normal === symbol.key.repeat(normal.length)) {
    const { emoji, name } = symbol;
    return { raw, emoji, name, display: emoji.repeat(normal.length), normal };
  }
  const known = wordsByKey.get(normal);
  if (known === undefined) return { raw, emoji: '', name: '', display: raw, normal };
  const isEmojiItself = raw.toLowerCase().normalize('NFC').trim() !== normal;
  const display = isEmojiItself ? known.emoji : `${known.emoji} ${raw}`;
  return { raw, emoji: known.emoji, name: known.name, display, normal };
}
