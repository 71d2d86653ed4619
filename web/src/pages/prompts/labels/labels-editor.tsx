import { useEffect, useState } from 'react'
import {
  DropLabelDocument,
  LabelMovesDocument,
  MoveLabelDocument,
  type PromptPageQuery,
} from '../../../../generated/operations.js'
import { useChange, useData } from '../../../data/use-data.js'
import { line } from '../../../format/text.js'
import { Time } from '../../../table/cells.js'
import { ActionTable } from '../../../ui/action-table.js'
import { ConfirmButton } from '../../../ui/confirm-button.js'
import { FailureNote } from '../../../ui/failure.js'
import { Field } from '../../../ui/field.js'
import { Form, SendButton } from '../../../ui/forms/form.js'
import { useSending } from '../../../ui/forms/use-sending.js'
import { ProblemView } from '../../../ui/problem-view.js'

export type Label = NonNullable<PromptPageQuery['promptLineage']>['labels'][number]

const USUAL = ['production', 'staging']

/** The labels of a prompt: each is moved to another version by one choice. */
export const LabelsEditor = ({
  name,
  labels,
  versions,
  chosen,
  mayWrite,
  onDone,
}: {
  name: string
  labels: readonly Label[]
  versions: readonly number[]
  /** The version that a new label leads to. */
  chosen: number
  mayWrite: boolean
  onDone: (message: string) => void
}) => {
  const moves = useData(LabelMovesDocument, { name })
  const move = useChange(MoveLabelDocument)
  const drop = useChange(DropLabelDocument)
  const [label, setLabel] = useState('')
  const [problem, setProblem] = useState<Error>()
  const act = async (message: string, change: () => Promise<unknown>) => {
    setProblem(undefined)
    await change()
    moves.refresh()
    onDone(message)
  }
  const moveTo = (moved: string, version: number) =>
    act(`${moved} leads to v${version} now.`, () => move({ name, label: moved, version }))
  // One after the other: the answers to two choices would come, and be stored, in any order.
  const [underWay, setUnderWay] = useState<{ label: string; version: number }>()
  const choose = useSending(
    (moved: string, version: number) => {
      setUnderWay({ label: moved, version })
      return moveTo(moved, version)
    },
    (error) => {
      setUnderWay(undefined)
      setProblem(error)
    },
  )
  // The choice is shown until the labels are read again.
  useEffect(() => setUnderWay(undefined), [labels])
  const history = moves.data?.promptLineage?.labelMoves ?? []
  return (
    <div className="column labels-editor" ref={choose.within}>
      {labels.length > 0 && (
        <ActionTable label="Labels" columns={['Label', 'Version', 'Moved']}>
          {labels.map((one) => (
            <tr key={one.name}>
              <td className="main-cell breaks">
                <bdi>{line(one.name, 100)}</bdi>
              </td>
              <td>
                <select
                  className="field"
                  aria-label={`Version of ${one.name}`}
                  value={underWay?.label === one.name ? underWay.version : one.version}
                  disabled={!mayWrite || choose.isSending}
                  onChange={(event) => choose.send(one.name, Number(event.target.value))}
                >
                  {versions.map((version) => (
                    <option key={version} value={version}>
                      v{version}
                    </option>
                  ))}
                </select>
              </td>
              <td>
                <Time at={one.movedAt} /> <span className="quiet">{line(one.movedBy, 40)}</span>
              </td>
              <td className="right">
                {mayWrite && (
                  <ConfirmButton
                    className="small"
                    label="Remove"
                    confirmLabel="Remove the label?"
                    onConfirm={() =>
                      act(`${one.name} is removed.`, () => drop({ name, label: one.name })).catch(
                        setProblem,
                      )
                    }
                  />
                )}
              </td>
            </tr>
          ))}
        </ActionTable>
      )}
      {mayWrite && (
        <Form
          className="row wrap"
          onSend={async () => {
            await moveTo(label.trim(), chosen)
            setLabel('')
          }}
          buttons={<SendButton label={`Label v${chosen}`} className="" />}
        >
          <Field name="label" label={<span className="visually-hidden">New label</span>}>
            {(control) => (
              <input
                {...control}
                placeholder="production"
                list="usual-labels"
                required
                maxLength={100}
                value={label}
                onChange={(event) => setLabel(event.target.value)}
              />
            )}
          </Field>
          <datalist id="usual-labels">
            {USUAL.filter((one) => labels.every((other) => other.name !== one)).map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </Form>
      )}
      <FailureNote error={problem} />
      <p className="soft">
        <code>getPrompt(name, {'{ label }'})</code> returns the version of a label, whatever the
        split.
      </p>
      {moves.problem !== undefined && <ProblemView problem={moves.problem} retry={moves.refresh} />}
      {history.length > 0 && (
        <>
          <h2>Moves</h2>
          <ul className="plain-list">
            {history.map((one) => (
              <li key={`${one.movedAt} ${one.label}`}>
                <Time at={one.movedAt} /> <bdi>{line(one.label, 100)}</bdi>{' '}
                {one.fromVersion === null ? 'set to' : `from v${one.fromVersion} to`}{' '}
                {one.toVersion === null ? 'no version' : `v${one.toVersion}`}{' '}
                <span className="quiet">by {line(one.movedBy, 40)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
