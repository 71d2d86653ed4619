import { loadedPart } from '../../../ui/loading/part-loader.js'

/** The dialog of an import; its code comes when it opens. */
export const ImportDialog = loadedPart(
  async () => (await import('./import-dialog.js')).ImportDialog,
)
