import { plural } from './number.js'

const JOINING_SCRIPTS =
  'Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr'
    .split(' ')
    .map((script) => `\\p{scx=${script}}`)
    .join('')
const EMOJI = '\\p{Extended_Pictographic}'

/**
 * Joiners and non-joiners without a meaning. In scripts such as those of Persian and Hindi the text before them reads
 * otherwise without them, and in an emoji the whole.
 */
export const STRAY_JOINER = new RegExp(
  [
    `\\u200C(?<![${JOINING_SCRIPTS}]\\u200C)`,
    `\\u200D(?<![${JOINING_SCRIPTS}]\\u200D)(?!(?<=[${EMOJI}\\p{Emoji_Modifier}\\uFE0F]\\u200D)${EMOJI})`,
  ].join('|'),
  'u',
)

/**
 * Characters that are invisible or change the direction of the text around them: shown as marks, so that they mislead
 * nobody.
 */
const HIDDEN = new RegExp(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the search is for these
  `${/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\uD800-\uDFFF]/u.source}|${STRAY_JOINER.source}`,
  'gu',
)

const CONTROL_PICTURES = 0x2400

/**
 * Marks beyond the 30 that a character has in any text of people (Stream-Safe Text, UAX 15): browsers take seconds to place
 * ten thousands of them, and draw them over the lines around.
 */
const STACKED = /(\p{M}{30})(\p{M}+)/gu

/** Makes hidden characters visible: `␛` for controls, `⟨U+202E⟩` for the others. Counts marks on a character that has too many. */
export const visible = (text: string): string =>
  text
    .replace(HIDDEN, (character) => {
      const code = character.charCodeAt(0)
      return code < 0x20
        ? String.fromCharCode(CONTROL_PICTURES + code)
        : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
    })
    .replace(
      STACKED,
      (_, kept: string, more: string) => `${kept}⟨${plural([...more].length, 'more mark')}⟩`,
    )

/** The longest text of a cell, which keeps pages light. */
const MAX_CELL_LENGTH = 300

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** The code units around a cut that are looked at: hardly an emoji is longer. */
const MAX_GRAPHEME = 40

/** Returns up to a number of code units, and no half of what is read as one character. */
const beginningOf = (text: string, most: number): string => {
  const from = Math.max(0, most - MAX_GRAPHEME)
  const around = text.slice(from, most + MAX_GRAPHEME)
  return text.slice(0, from + (graphemes.segment(around).containing(most - from)?.index ?? 0))
}

/** Shortens a text to one line for a cell. */
export const line = (text: string | null | undefined, most = MAX_CELL_LENGTH): string => {
  if (text == null) return ''
  const cut = text.length > most ? `${beginningOf(text, most)}…` : text
  return visible(cut.replace(/\s+/g, ' ').trim())
}

/** Shortens a name that has nothing beside it to choose it by: one of white space alone is shown in quotes. */
export const choice = (name: string, most = 60): string => line(name, most) || '“ ”'
