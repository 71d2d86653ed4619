/** Reads names that are separated by commas: without the spaces around them, each once. */
export const readNames = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]
