import { useEffect, useMemo } from 'react'
import {
  DatasetTableDocument,
  TrialGenerationsDocument,
  TrialItemsDocument,
} from '../../../../generated/operations.js'
import { useData } from '../../../data/use-data.js'
import { line } from '../../../format/text.js'
import { Time } from '../../../table/cells.js'
import { Field } from '../../../ui/field.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { readValue } from '../template.js'
import { type TrialItem, titleOf, variablesOf } from './items.js'

export const TYPED = 'typed'
const GENERATIONS = 'generations'
/** Datasets that are offered. */
const MAX_OFFERED = 100

/** Chooses the source of the values, and with them the items to try. */
export const SourceSelect = ({
  source,
  onSource,
}: {
  source: string
  onSource: (source: string) => void
}) => {
  const datasets = useData(DatasetTableDocument, { first: MAX_OFFERED })
  const offered = datasets.data?.datasets
  const isOffered =
    source === TYPED ||
    source === GENERATIONS ||
    offered === undefined ||
    offered.edges.some(({ node }) => node.id === source)
  return (
    <Field label="Variables from">
      {(control) => (
        <select {...control} value={source} onChange={(event) => onSource(event.target.value)}>
          <option value={TYPED}>values typed here</option>
          <option value={GENERATIONS}>generations of this prompt</option>
          {!isOffered && <option value={source}>another dataset</option>}
          {offered?.edges.map(({ node }) => (
            <option key={node.id} value={node.id}>
              dataset {line(node.name ?? node.id, 60)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

interface ChoiceProps {
  items: readonly TrialItem[]
  chosen: ReadonlySet<string>
  onChosen: (chosen: ReadonlySet<string>) => void
}

/** Values that are typed, a field per variable. */
export const TypedValues = ({
  names,
  values,
  defaults,
  onValues,
}: {
  names: readonly string[]
  values: Readonly<Record<string, string>>
  defaults: Readonly<Record<string, unknown>>
  onValues: (values: Record<string, string>) => void
}) =>
  names.length === 0 ? (
    <p className="quiet">The prompt has no variables.</p>
  ) : (
    <div className="form-grid">
      {names.map((name) => (
        <Field key={name} label={name}>
          {(control) => (
            <textarea
              {...control}
              rows={2}
              placeholder={
                defaults[name] === undefined ? 'text, or JSON' : JSON.stringify(defaults[name])
              }
              value={values[name] ?? ''}
              onChange={(event) => onValues({ ...values, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  )

/** Returns the one item that typed values make. */
export const typedItem = (
  names: readonly string[],
  values: Readonly<Record<string, string>>,
): TrialItem => {
  const given = names.filter((name) => values[name] !== undefined && values[name] !== '')
  const variables = Object.fromEntries(given.map((name) => [name, readValue(values[name] ?? '')]))
  return { id: TYPED, title: titleOf(variables) || 'defaults', variables }
}

/** Loads the items of a source other than typed values. */
export const useItems = (
  source: string,
  prompt: string,
  names: readonly string[],
  onItems: (items: readonly TrialItem[]) => void,
) => {
  const generations = useData(
    TrialGenerationsDocument,
    { filters: [{ field: 'promptLineage', operator: 'eq', value: prompt }] },
    { pause: source !== GENERATIONS },
  )
  const isDataset = source !== GENERATIONS && source !== TYPED
  const dataset = useData(TrialItemsDocument, { id: source }, { pause: !isDataset, keep: false })
  const key = names.join('\n')
  const items = useMemo((): readonly TrialItem[] | undefined => {
    if (source === GENERATIONS)
      return generations.data?.generations.edges.map(({ node }) => {
        const variables = variablesOf(node.variables ?? {}, names)
        return { id: node.id, title: titleOf(variables), variables, at: node.createdAt }
      })
    return dataset.data?.dataset?.items.edges.map(({ node }) => {
      const variables = variablesOf(node.input, names)
      return { id: node.id, title: titleOf(variables), variables }
    })
  }, [source, generations.data, dataset.data, key])
  useEffect(() => {
    if (source !== TYPED && items !== undefined) onItems(items)
  }, [source, items])
  return {
    items,
    problem: generations.problem ?? dataset.problem,
    refresh: isDataset ? dataset.refresh : generations.refresh,
  }
}

/** The items of a source, of which some are tried. */
export const ItemChoice = ({
  items,
  chosen,
  onChosen,
}: ChoiceProps & { items: readonly TrialItem[] }) => (
  <fieldset className="trial-items">
    <legend className="visually-hidden">Items to try</legend>
    {items.map(({ id, title, at, variables }) => (
      <label key={id} className="row">
        <input
          type="checkbox"
          checked={chosen.has(id)}
          onChange={() => {
            const next = new Set(chosen)
            if (!next.delete(id)) next.add(id)
            onChosen(next)
          }}
        />
        <bdi className="grow trial-title">{line(title, 200) || 'no value of a variable'}</bdi>
        {Object.keys(variables).length === 0 && <span className="quiet">other variables</span>}
        {at !== undefined && <Time at={at} />}
      </label>
    ))}
  </fieldset>
)

/** Says why there are no items, or failed to load. */
export const ItemsProblem = ({
  items,
  problem,
  refresh,
}: Pick<ReturnType<typeof useItems>, 'items' | 'problem' | 'refresh'>) => (
  <>
    {problem !== undefined && <ProblemView problem={problem} retry={refresh} />}
    {items?.length === 0 && <p className="notice">There are none yet.</p>}
  </>
)
