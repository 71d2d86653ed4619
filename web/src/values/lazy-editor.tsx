import { loadedPart } from '../ui/loading/part-loader.js'

/** Loads the editor on first use; keeps its room meanwhile. */
export const Editor = loadedPart(
  async () => (await import('./editor.js')).Editor,
  ({ className = 'editor' }) => <div className={className} />,
)
