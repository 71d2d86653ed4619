import { type ReactNode, useState } from 'react'
import { BulkDialog } from '../../../list/bulk/bulk-dialog.js'
import type { Scope } from '../../../list/bulk/scope.js'
import { type Noun, rowsOf } from './words.js'

/** Deletes chosen rows, which can't be undone. */
export const BulkDelete = <Row extends { id: string }>({
  scope,
  noun,
  remove,
  onDone,
  children,
}: {
  scope: Scope<Row>
  noun: Noun
  remove: (id: string) => Promise<unknown>
  onDone: () => void
  /** The consequences. */
  children: ReactNode
}) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="button danger" onClick={() => setOpen(true)}>
        Delete…
      </button>
      {isOpen && (
        <BulkDialog
          title={`Delete ${rowsOf(scope as Scope<never>, noun)}?`}
          send="Delete"
          scope={scope}
          noun={noun}
          past="deleted"
          nameOf={({ id }) => id}
          prepare={async () =>
            async ({ id }) => {
              await remove(id)
            }}
          onClose={() => setOpen(false)}
          onDone={onDone}
        >
          {children}
        </BulkDialog>
      )}
    </>
  )
}
