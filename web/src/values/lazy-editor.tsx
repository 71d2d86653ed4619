import { type ComponentProps, lazy, Suspense } from 'react'

const Loaded = lazy(async () => ({ default: (await import('./editor.js')).Editor }))

/** Loads the editor on first use; keeps its room meanwhile. */
export const Editor = (props: ComponentProps<typeof Loaded>) => (
  <Suspense fallback={<div className={props.className ?? 'editor'} />}>
    <Loaded {...props} />
  </Suspense>
)
