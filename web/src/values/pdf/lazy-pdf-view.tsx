import { type ComponentProps, lazy, Suspense } from 'react'

const Loaded = lazy(async () => ({ default: (await import('./pdf-view.js')).PdfView }))

/** A PDF, whose engine is loaded when somebody wants to see one. */
export const PdfView = (props: ComponentProps<typeof Loaded>) => (
  <Suspense fallback={<div className="pdf" />}>
    <Loaded {...props} />
  </Suspense>
)
