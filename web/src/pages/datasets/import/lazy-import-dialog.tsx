import { type ComponentProps, lazy, Suspense } from 'react'
import type { ImportDialog as Dialog } from './import-dialog.js'

const Loaded = lazy(async () => ({ default: (await import('./import-dialog.js')).ImportDialog }))

/** The dialog of an import; its code comes when it opens. */
export const ImportDialog = (props: ComponentProps<typeof Dialog>) => (
  <Suspense>
    <Loaded {...props} />
  </Suspense>
)
