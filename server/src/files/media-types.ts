/** Media types that a browser shows without running anything. All others are offered for download. */
const INERT =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/(pdf|json))$/i

const bareType = (mime: string) => mime.split(';', 1)[0]?.trim() ?? ''

export const dispositionOf = (mime: string): 'inline' | 'attachment' =>
  INERT.test(bareType(mime)) ? 'inline' : 'attachment'

/** Returns a media type that can stand in a header; any other becomes bytes. */
export const safeType = (mime: string): string =>
  /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[\w .+-]*"|[\w.+-]+))*$/.test(mime)
    ? mime
    : 'application/octet-stream'

/** Returns the type that readers get. A text without a charset is UTF-8, as clients on every runtime write that. */
export const servedType = (mime: string): string => {
  const type = safeType(mime)
  return /^text\//i.test(type) && !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type
}
