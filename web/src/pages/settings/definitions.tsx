import { Fragment, type ReactNode, useState } from 'react'
import {
  DefinitionsDocument,
  FacetsDocument,
  RemoveDefinitionDocument,
} from '../../../generated/operations.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { score as showScore } from '../../format/number.js'
import { choice, visible } from '../../format/text.js'
import type { Definition } from '../../scoring/value-control.js'
import { Label } from '../../table/cells.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { ProblemView } from '../../ui/problem-view.js'
import { BETTER, DefinitionForm, KINDS } from './definition-form.js'

/** The meaning of scores: their kind and values, the good direction, and whether others are rejected. */
export const DefinitionsSection = () => {
  const definitions = useData(DefinitionsDocument, {})
  const names = useData(FacetsDocument, { field: 'score', prefix: '' })
  const mayWrite = useMayWrite()
  const remove = useChange(RemoveDefinitionDocument)
  const [edited, setEdited] = useState<Definition | 'new' | null>(null)
  const known = definitions.data?.scoreDefinitions ?? []
  const open = names.data?.facets.filter(({ value }) => !known.some(({ name }) => name === value))
  return (
    <div className="column" style={{ maxWidth: 860, gap: 12 }}>
      {definitions.problem !== undefined && (
        <ProblemView problem={definitions.problem} retry={definitions.refresh} />
      )}
      <table
        className="table stacks"
        aria-label="Score definitions"
        style={{ tableLayout: 'auto' }}
        // Heads without rows say nothing, and narrow pages have no room for them.
        hidden={known.length === 0}
      >
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col">Values</th>
            <th scope="col">Direction</th>
            <th scope="col">Others</th>
            <th scope="col" style={{ width: 150 }}>
              <span className="visually-hidden">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {known.map((definition) => (
            <tr key={definition.name}>
              <td className="main-cell breaks">
                <bdi>{choice(definition.name, 200)}</bdi>
              </td>
              <td>{KINDS[definition.kind]}</td>
              <td className="breaks">{valuesOf(definition)}</td>
              <td>{BETTER[definition.better]}</td>
              <td>
                <Label>others</Label>
                {definition.isEnforced ? 'rejected' : 'stored too'}
              </td>
              <td className="right">
                {mayWrite && (
                  <>
                    <button
                      type="button"
                      className="button small"
                      onClick={() => setEdited(definition)}
                    >
                      Edit
                    </button>{' '}
                    <ConfirmButton
                      className="small"
                      label="Remove"
                      confirmLabel="Remove it?"
                      onConfirm={async () => {
                        await remove({ name: definition.name })
                        definitions.refresh()
                      }}
                    />
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {open !== undefined && open.length > 0 && (
        <p className="soft">
          Used without a definition: {open.map(({ value }) => choice(value)).join(', ')}.
        </p>
      )}
      {mayWrite && (
        <div>
          <button type="button" className="button" onClick={() => setEdited('new')}>
            Define a score
          </button>
        </div>
      )}
      {edited !== null && (
        <DefinitionForm
          definition={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
          onSaved={definitions.refresh}
        />
      )}
    </div>
  )
}

const valuesOf = ({ labels, min, max }: Definition): ReactNode => {
  if (labels.length > 0)
    return labels.map(({ value, label }, at) => (
      <Fragment key={value}>
        {at > 0 && ', '}
        {showScore(value)} <bdi>{visible(label)}</bdi>
      </Fragment>
    ))
  if (min === null && max === null) return '–'
  if (min === null) return `up to ${showScore(max)}`
  return max === null ? `from ${showScore(min)}` : `${showScore(min)} to ${showScore(max)}`
}
