import '../../charts/charts.css'
import { useRef, useState } from 'react'
import {
  DeleteViewDocument,
  ViewsDocument,
  WebUpdateViewDocument,
} from '../../../generated/operations.js'
import { useFocusInside } from '../../browser/kept-focus.js'
import { MetricChart } from '../../charts/metric-chart.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { parseFilter } from '../../filter/language.js'
import { queryText } from '../../filter/query-text.js'
import { RangeSelect } from '../../list/range/range-select.js'
import { environmentOf, useSpan } from '../../list/range/use-span.js'
import { ConfirmButton } from '../../ui/confirm-button.js'
import { EnvironmentSelect } from '../../ui/environment-select.js'
import { Icon } from '../../ui/icons.js'
import { Notices } from '../../ui/notices.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'
import { Top } from '../../ui/top.js'
import { ChartForm } from './chart-form.js'
import { type ChartView, isChart, LANGUAGES, positionBetween } from './charts.js'

/** The charts that a project chose itself, each with its rows, value, split and conditions. */
export const ChartsPage = () => {
  const measured = useSpan()
  const mayWrite = useMayWrite()
  const showToast = useToast()
  const [editing, setEditing] = useState<ChartView | 'new'>()
  const answer = useData(ViewsDocument, {})
  const charts = answer.data?.views.filter(isChart)
  const box = useRef<HTMLDivElement>(null)
  useFocusInside(box)
  const update = useChange(WebUpdateViewDocument)
  const remove = useChange(DeleteViewDocument)
  const move = async (index: number, by: -1 | 1) => {
    const position = positionBetween(charts ?? [], index, by)
    const chart = charts?.[index]
    if (chart === undefined || position === undefined) return
    try {
      await update({ id: chart.id, position })
      answer.refresh()
    } catch (error) {
      showToast(error as Error)
    }
  }
  return (
    <>
      <Top title="Charts">
        {mayWrite && (
          <button type="button" className="button" onClick={() => setEditing('new')}>
            <Icon name="plus" /> Add a chart
          </button>
        )}
        <EnvironmentSelect value={measured.env} onChange={measured.setEnv} hidesExperiments />
        <RangeSelect value={measured.range} onChange={measured.setRange} isBounded />
      </Top>
      <div className="page">
        <Notices texts={measured.notices} />
        {answer.problem !== undefined && (
          <ProblemView problem={answer.problem} retry={answer.refresh} />
        )}
        {charts?.length === 0 && (
          <div className="empty">
            <p>
              A chart shows any figure of the project over time: of rows that a filter finds, and
              split by a property. Everyone in the project sees the charts of this page.
            </p>
            {mayWrite && (
              <button type="button" className="button primary" onClick={() => setEditing('new')}>
                Add the first chart
              </button>
            )}
          </div>
        )}
        <div className="charts" data-split="own" ref={box}>
          {charts?.map((view, index) => (
            <OwnChart
              key={view.id}
              view={view}
              measured={measured}
              actions={
                mayWrite && (
                  <>
                    <button
                      type="button"
                      className="button plain small"
                      aria-label={`Move ${view.name} forward`}
                      disabled={index === 0}
                      onClick={() => move(index, -1)}
                    >
                      <Icon name="left" />
                    </button>
                    <button
                      type="button"
                      className="button plain small"
                      aria-label={`Move ${view.name} back`}
                      disabled={index === charts.length - 1}
                      onClick={() => move(index, 1)}
                    >
                      <Icon name="right" />
                    </button>
                    <button
                      type="button"
                      className="button plain small"
                      aria-label={`Edit ${view.name}`}
                      onClick={() => setEditing(view)}
                    >
                      edit
                    </button>
                  </>
                )
              }
            />
          ))}
        </div>
      </div>
      {editing !== undefined && (
        <ChartForm
          view={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
          onSaved={(name) => {
            answer.refresh()
            showToast(`${name} is saved.`)
          }}
        >
          {editing !== 'new' && (
            <ConfirmButton
              label="Delete"
              confirmLabel="Delete for all?"
              onConfirm={async () => {
                await remove({ id: editing.id })
                setEditing(undefined)
                answer.refresh()
              }}
            />
          )}
        </ChartForm>
      )}
    </>
  )
}

const OwnChart = ({
  view: { name, chart, query, environment: saved },
  measured,
  actions,
}: {
  view: ChartView
  measured: ReturnType<typeof useSpan>
  actions: React.ReactNode
}) => {
  const { subject, metric, by, score } = chart
  // A chart of one environment shows it, whatever the page shows.
  const own = saved === null ? undefined : environmentOf(saved)
  const { environment, excludeExperiments } = own ?? measured
  const { nodes } = parseFilter(query, LANGUAGES[subject])
  return (
    <MetricChart
      {...measured.span}
      environment={environment}
      excludeExperiments={excludeExperiments}
      query={queryText(nodes)}
      by={by ?? undefined}
      subject={subject}
      metric={metric}
      title={name}
      name={score ?? undefined}
      actions={actions}
      onRange={measured.onRange}
      onReset={measured.onReset}
    />
  )
}
