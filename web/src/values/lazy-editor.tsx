import { type ComponentProps, lazy, Suspense } from 'react'

const Loaded = lazy(async () => ({ default: (await import('./editor.js')).Editor }))

/** The editor, which is loaded when it is wanted; its room is there before it is. */
export const Editor = (props: ComponentProps<typeof Loaded>) => (
  <Suspense fallback={<div className={props.className ?? 'editor'} />}>
    <Loaded {...props} />
  </Suspense>
)
