import { type ComponentProps, lazy, Suspense } from 'react'

const Loaded = lazy(async () => ({ default: (await import('./pdf-view.js')).PdfView }))

/** Shows a PDF; loads the engine with the first one. */
export const PdfView = (props: ComponentProps<typeof Loaded>) => (
  <Suspense fallback={<div className="pdf" />}>
    <Loaded {...props} />
  </Suspense>
)
