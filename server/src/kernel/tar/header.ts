/** The unit of a tar archive: a header is one block, and contents are padded to whole blocks. */
export const BLOCK_BYTES = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12
const SUM_AT = 148
const SUM_BYTES = 8
const TYPE_AT = 156
/** Sizes with more octal digits have no place in the header's field. */
const MAX_SIZE = 8 ** 11 - 1

export interface TarEntry {
  name: string
  sizeBytes: number
  isFolder: boolean
}

export const paddingOf = (sizeBytes: number): number =>
  (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES

/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK_BYTES)

/**
 * Returns the header of an entry in the ustar format. It names neither times nor users, so that the same contents make
 * the same archive; what is unpacked is for its owner only.
 */
export const tarHeader = ({ name, sizeBytes, isFolder }: TarEntry): Buffer => {
  if (Buffer.byteLength(name) > NAME_BYTES)
    throw new Error(`the name ${name} is too long for an archive`)
  if (sizeBytes > MAX_SIZE) throw new Error(`${name} is too large for an archive`)
  const header = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  header.write(name, 0)
  header.write(isFolder ? '0000700' : '0000600', 100)
  header.write('0000000', 108)
  header.write('0000000', 116)
  header.write(octal(sizeBytes, SIZE_BYTES - 1), SIZE_AT)
  header.write(octal(0, 11), 136)
  header.write(isFolder ? '5' : '0', TYPE_AT)
  header.write('ustar\x0000', 257)
  header.write(`${octal(sumOf(header), 6)}\0 `, SUM_AT)
  return header
}

/** Returns the entry of a header; undefined for the end of an archive. */
export const readTarHeader = (header: Buffer): TarEntry | undefined => {
  if (header.length < BLOCK_BYTES) throw new Error('the archive ends in the middle of an entry')
  if (header.every((byte) => byte === 0)) return undefined
  const sum = Number.parseInt(header.toString('latin1', SUM_AT, SUM_AT + SUM_BYTES), 8)
  if (sum !== sumOf(header)) throw new Error('the archive is damaged, or is no tar archive')
  const end = header.indexOf(0)
  return {
    name: header.toString('utf8', 0, end === -1 || end > NAME_BYTES ? NAME_BYTES : end),
    sizeBytes: Number.parseInt(header.toString('latin1', SIZE_AT, SIZE_AT + SIZE_BYTES), 8),
    isFolder: header[TYPE_AT] === '5'.charCodeAt(0),
  }
}

/** Sums up the bytes of a header, with its own sum as spaces. */
const sumOf = (header: Buffer): number => {
  let sum = 0
  for (let at = 0; at < BLOCK_BYTES; at++)
    sum += at >= SUM_AT && at < SUM_AT + SUM_BYTES ? 32 : (header[at] as number)
  return sum
}
