import { useEffect, useMemo, useState } from 'react'
import { useUnloadGuard } from '../../../browser/use-unload-guard.js'
import { plural } from '../../../format/number.js'
import { line } from '../../../format/text.js'
import { Dialog } from '../../../ui/dialog.js'
import { FailureText } from '../../../ui/failure.js'
import { FileChoice } from './file-choice.js'
import './import.css'
import { MappingForm } from './mapping-form.js'
import { BadRows, Outlook } from './outlook.js'
import { placesOf, proposedTargets, type Target } from './targets.js'
import { type Importing, useImport } from './use-import.js'
import { useReader } from './use-reader.js'

/** Imports a file into a dataset: says before what will happen, shows the progress, names rows that failed. */
export const ImportDialog = ({
  datasetId,
  datasetName,
  onClose,
  onDone,
}: {
  datasetId: string
  datasetName: string
  onClose: () => void
  /** Called when items may have been added. */
  onDone: () => void
}) => {
  const [file, setFile] = useState<File>()
  const [targets, setTargets] = useState<ReadonlyMap<string, Target>>()
  const places = useMemo(() => (targets === undefined ? undefined : placesOf(targets)), [targets])
  const { read, mapped, isMapping, problem, items } = useReader(file, places)
  const { importing, start, stop } = useImport(datasetId)
  useEffect(
    () => setTargets(read === undefined ? undefined : proposedTargets(read.columns)),
    [read],
  )
  useUnloadGuard(importing?.isRunning === true)
  const close = () => {
    stop()
    if (importing !== undefined) onDone()
    onClose()
  }
  const choose = (chosen: File | undefined) => {
    setFile(chosen)
    setTargets(undefined)
  }
  return (
    <Dialog title="Import items" onClose={close}>
      <div className="column import">
        {file === undefined ? (
          <FileChoice onFile={choose} />
        ) : importing !== undefined ? (
          <Progress
            importing={importing}
            total={mapped?.count ?? 0}
            onStop={stop}
            onAgain={() => start(items())}
            onClose={close}
          />
        ) : (
          <>
            <p className="soft">
              <bdi>{line(file.name)}</bdi>
              {read !== undefined && ` · ${plural(read.rowCount, 'row')}`}
            </p>
            {read === undefined && problem === undefined && <p role="status">Reading the file…</p>}
            {problem !== undefined && (
              <p className="problem" role="alert">
                {problem}
              </p>
            )}
            {read !== undefined && targets !== undefined && (
              <MappingForm
                columns={read.columns}
                targets={targets}
                onChange={(column, target) => setTargets(new Map(targets).set(column, target))}
              />
            )}
            {targets !== undefined && places === undefined && (
              <p className="problem" role="alert">
                Expected names with dots between them as a path.
              </p>
            )}
            {mapped !== undefined && places !== undefined && (
              <Outlook mapped={mapped} datasetName={datasetName} />
            )}
            <div className="row">
              <button
                type="button"
                className="button primary"
                disabled={
                  mapped === undefined ||
                  isMapping === true ||
                  places === undefined ||
                  mapped.count === 0
                }
                onClick={() => start(items())}
              >
                Import {mapped === undefined ? '' : plural(mapped.count, 'item')}
              </button>
              <button type="button" className="button" onClick={() => choose(undefined)}>
                Another file
              </button>
              <button type="button" className="button" onClick={close}>
                Cancel
              </button>
            </div>
          </>
        )}
      </div>
    </Dialog>
  )
}

const Progress = ({
  importing: { isRunning, read, imported, problem },
  total,
  onStop,
  onAgain,
  onClose,
}: {
  importing: Importing
  total: number
  onStop: () => void
  onAgain: () => void
  onClose: () => void
}) => {
  const { created, present, failed } = imported
  const gone = created + present + failed.length
  const isWhole = created + present === total
  return (
    <>
      <progress max={Math.max(total, 1)} value={gone} aria-label="Progress" />
      <p role="status">
        {isRunning && gone === 0
          ? `Comparing with the items of the dataset${read > 0 ? `: ${plural(read, 'item')}` : '…'}`
          : `${plural(created, 'item')} of ${plural(total, 'item')} added${
              present > 0 ? `, ${plural(present, 'item')} already there` : ''
            }.`}
      </p>
      {problem !== undefined && (
        <p className="problem" role="alert">
          <FailureText error={problem} /> “Go on” adds the others.
        </p>
      )}
      {!isRunning && problem === undefined && failed.length > 0 && (
        <div className="problem" role="alert">
          <p>{plural(failed.length, 'row')} failed.</p>
          <BadRows bad={failed} total={failed.length} />
        </div>
      )}
      <div className="row">
        {isRunning ? (
          <button type="button" className="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="button" className="button primary" onClick={onClose}>
            Close
          </button>
        )}
        {!isRunning && !isWhole && (
          <button type="button" className="button" onClick={onAgain}>
            Go on
          </button>
        )}
      </div>
    </>
  )
}
