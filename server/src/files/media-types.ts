/** Media types that a browser shows without running anything. All others are offered for download. */
const INERT =
  /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+|text\/plain|application\/(pdf|json))$/i

const bareType = (mime: string) => mime.split(';', 1)[0]?.trim() ?? ''

export const dispositionOf = (mime: string): 'inline' | 'attachment' =>
  INERT.test(bareType(mime)) ? 'inline' : 'attachment'

/** A media type that can stand in a header; what can't be one is bytes. */
export const safeType = (mime: string): string =>
  /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[\w .+-]*"|[\w.+-]+))*$/.test(mime)
    ? mime
    : 'application/octet-stream'

/** The type that readers are told. A text whose sender named no charset is UTF-8: clients on every runtime write that. */
export const servedType = (mime: string): string => {
  const type = safeType(mime)
  return /^text\//i.test(type) && !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type
}
