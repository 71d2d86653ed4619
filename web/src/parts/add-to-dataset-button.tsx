import { useState } from 'react'
import { Link } from 'wouter'
import { segment } from '../address/segment.js'
import { plural } from '../format/number.js'
import { useToast } from '../ui/toasts.js'
import { AddToDatasetDialog, type CopiedThread } from './add-to-dataset-dialog.js'

/** The action for chosen steps or generations, or for a conversation. */
export const ToDataset = ({
  steps,
  thread,
  onDone,
}: {
  steps?: readonly { id: string; isGeneration: boolean }[]
  thread?: CopiedThread
  onDone?: () => void
}) => {
  const [isOpen, setOpen] = useState(false)
  const showToast = useToast()
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {thread === undefined ? 'To a dataset…' : 'Add to dataset…'}
      </button>
      {isOpen && (
        <AddToDatasetDialog
          {...(steps === undefined ? {} : { steps })}
          thread={thread}
          onClose={() => setOpen(false)}
          onDone={(datasetId, count) => {
            showToast(
              <Link href={`/datasets/${segment(datasetId)}`}>
                {plural(count, 'item')} added to the dataset
              </Link>,
            )
            onDone?.()
          }}
        />
      )}
    </>
  )
}
