const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g
const WRITTEN_LONE = /%ED%([AB][0-9A-F])%([89AB][0-9A-F])/gi

/** A dot in two bytes, which is valid nowhere: browsers take one dot or two, however escaped, for a step in the path. */
const WRITTEN_DOT = '%C0%AE'

const byte = (value: number): string => `%${value.toString(16).toUpperCase()}`

/**
 * Encodes an id as a part of an address. A lone surrogate, which is valid in an id but not in an address, is written as
 * its three bytes would be, as an error would hide the whole list.
 */
export const segment = (id: string): string => {
  if (id === '.' || id === '..') return id.replaceAll('.', WRITTEN_DOT)
  if (id.search(LONE) < 0) return encodeURIComponent(id)
  let text = ''
  let from = 0
  for (const { index, 0: lone } of id.matchAll(LONE)) {
    const code = lone.charCodeAt(0)
    text += encodeURIComponent(id.slice(from, index))
    text += byte(0xed) + byte(0x80 | ((code >> 6) & 0x3f)) + byte(0x80 | (code & 0x3f))
    from = index + 1
  }
  return text + encodeURIComponent(id.slice(from))
}

/** Returns the id that a part of an address holds; the part itself if it can't be decoded. */
export const readSegment = (text: string): string => {
  try {
    return text
      .replaceAll(WRITTEN_DOT, '.')
      .split(/(%ED%[AB][0-9A-F]%[89AB][0-9A-F])/gi)
      .map((part, index) =>
        index % 2 === 0
          ? decodeURIComponent(part)
          : part.replace(WRITTEN_LONE, (_, high, low) =>
              String.fromCharCode(
                0xd000 |
                  ((Number.parseInt(high, 16) & 0x3f) << 6) |
                  (Number.parseInt(low, 16) & 0x3f),
              ),
            ),
      )
      .join('')
  } catch {
    return text
  }
}
