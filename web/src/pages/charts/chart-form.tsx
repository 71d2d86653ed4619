import { type ReactNode, useState } from 'react'
import type { MetricDimension, MetricSubject } from '../../../../generated/schema.js'
import {
  FacetsDocument,
  ViewsDocument,
  WebCreateViewDocument,
  WebUpdateViewDocument,
} from '../../../generated/operations.js'
import { DIMENSIONS, DIMENSIONS_OF, isSplit } from '../../charts/dimensions.js'
import type { Metric } from '../../charts/series.js'
import { read, useChange, useData } from '../../data/use-data.js'
import { FilterBar } from '../../filter/filter-bar.js'
import { parseFilter } from '../../filter/language.js'
import { choice } from '../../format/text.js'
import { EnvironmentSelect } from '../../ui/environment-select.js'
import { Field } from '../../ui/field.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'
import { useOwnChanges } from '../../ui/forms/own-changes.js'
import { type ChartView, isChart, LANGUAGES, metricsOf } from './charts.js'

const SUBJECTS: readonly MetricSubject[] = ['threads', 'runs', 'steps', 'generations', 'scores']

/** The parts of a chart, as people know them. */
const TITLES = {
  name: 'Name',
  query: 'Conditions',
  environment: 'Environment',
  chart: 'Value and rows',
} as const

type Settings = Pick<ChartView, keyof typeof TITLES>

const partsOf = ({ name, query, environment, chart }: Settings): Settings => ({
  name,
  query,
  environment,
  chart: { subject: chart.subject, metric: chart.metric, by: chart.by, score: chart.score },
})

/** Creates or changes a chart. */
export const ChartForm = ({
  view,
  onSaved,
  onClose,
  children,
}: {
  /** Absent for a new chart. */
  view: ChartView | undefined
  onSaved: (name: string) => void
  onClose: () => void
  children: ReactNode
}) => {
  const [name, setName] = useState(view?.name ?? '')
  const [subject, setSubject] = useState<MetricSubject>(view?.chart.subject ?? 'generations')
  const [metric, setMetric] = useState<Metric>(view?.chart.metric ?? 'count')
  const [by, setBy] = useState<MetricDimension | undefined>(view?.chart.by ?? undefined)
  const [score, setScore] = useState(view?.chart.score ?? '')
  const [environment, setEnvironment] = useState(view?.environment ?? '')
  const [query, setQuery] = useState(view?.query ?? '')
  const names = useData(FacetsDocument, { field: 'score', prefix: '' })
  const create = useChange(WebCreateViewDocument)
  const update = useChange(WebUpdateViewDocument)
  const metrics = Object.entries(metricsOf(subject))
  const own = metrics.some(([key]) => key === metric) ? metric : (metrics[0]?.[0] as Metric)
  const settings: Settings = {
    name: name.trim(),
    query,
    environment: environment === '' ? null : environment,
    chart: {
      subject,
      metric: own,
      by: isSplit(subject, by) ? by : null,
      score: subject === 'scores' && score !== '' ? score : null,
    },
  }
  const begun = useOwnChanges(partsOf(view ?? settings), TITLES)
  return (
    <FormDialog
      title={view === undefined ? 'A new chart' : 'Change the chart'}
      send="Save"
      onClose={onClose}
      onSend={async () => {
        const [mistake] = parseFilter(query, LANGUAGES[subject]).mistakes
        if (mistake !== undefined) throw new Error(`Conditions: ${mistake.message}.`)
        if (view === undefined) await create({ subject: 'CHARTS', ...settings })
        else {
          const { views } = await read(ViewsDocument, {})
          const stored = views.filter(isChart).find(({ id }) => id === view.id)
          await update({ id: view.id, ...begun.changes(settings, stored && partsOf(stored)) })
        }
        onSaved(settings.name)
      }}
    >
      <Field name="name" label="Name" hint="Everyone in the project sees it.">
        {(control) => (
          <input
            {...control}
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Rows">
        {(control) => (
          <select
            {...control}
            value={subject}
            onChange={(event) => setSubject(event.target.value as MetricSubject)}
          >
            {SUBJECTS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Value">
        {(control) => (
          <select
            {...control}
            value={own}
            onChange={(event) => setMetric(event.target.value as Metric)}
          >
            {metrics.map(([key, title]) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      {subject === 'scores' && (
        <Field label="Score">
          {(control) => (
            <select {...control} value={score} onChange={(event) => setScore(event.target.value)}>
              <option value="">all</option>
              {score !== '' && !names.data?.facets.some(({ value }) => value === score) && (
                <option value={score}>{choice(score)}</option>
              )}
              {names.data?.facets.map(({ value }) => (
                <option key={value} value={value}>
                  {choice(value)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="Split">
        {(control) => (
          <select
            {...control}
            value={isSplit(subject, by) ? by : ''}
            onChange={(event) =>
              setBy(event.target.value === '' ? undefined : (event.target.value as MetricDimension))
            }
          >
            <option value="">not split</option>
            {DIMENSIONS_OF[subject].map((one) => (
              <option key={one} value={one}>
                by {DIMENSIONS[one]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="labelled">
        Environment
        <EnvironmentSelect
          value={environment}
          onChange={setEnvironment}
          emptyTitle="that of the page"
        />
      </div>
      <div className="labelled">
        Conditions
        <FilterBar
          language={LANGUAGES[subject]}
          text={query}
          placeholder="all of them"
          typingMs={0}
          onChange={setQuery}
        />
      </div>
      {children}
    </FormDialog>
  )
}
