/** The pages of the documentation by their paths below docs/, as of the build of the UI. */
export const FILES: ReadonlyMap<string, string> = namesOf(
  import.meta.glob<string>('../../../../docs/**/*.md', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
)

/** The addresses of its drawings. */
export const PICTURES: ReadonlyMap<string, string> = namesOf(
  import.meta.glob<string>('../../../../docs/pictures/*.svg', {
    query: '?url',
    import: 'default',
    eager: true,
  }),
)

function namesOf(files: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(files).map(([path, content]) => [path.replace(/^.*?\/docs\//, ''), content]),
  )
}
