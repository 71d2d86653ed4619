import { loadedPart } from '../../ui/loading/part-loader.js'

/** Shows a PDF; loads the engine with the first one. */
export const PdfView = loadedPart(
  async () => (await import('./pdf-view.js')).PdfView,
  () => <div className="pdf" />,
)
