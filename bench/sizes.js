/** Returns the sizes of an argument list, such as 1,000,000, or those that are measured without any. */
export const sizesOf = (given, usual) =>
  given.length > 0 ? given.map((size) => Number(size.replaceAll(',', ''))) : usual
