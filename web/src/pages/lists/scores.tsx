import { Link } from 'wouter'
import {
  RemoveScoreDocument,
  ScoreTableDocument,
  type ScoreTableQuery,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useMayWrite } from '../../data/project.js'
import { change } from '../../data/use-data.js'
import { SCORE_LANGUAGE } from '../../filter/fields.js'
import { score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import type { ListConfig } from '../../list/list-config.js'
import { ListPage } from '../../list/list-page.js'
import { NameOrId } from '../../parts/name-or-id.js'
import { experimentItemLink } from '../../parts/result-columns.js'
import { threadLink } from '../../parts/thread-link.js'
import { ThreadName } from '../../parts/thread-name.js'
import { EditScore } from '../../scoring/edit-score.js'
import { Text, Time } from '../../table/cells.js'
import { type Column, MOMENT_WIDTH } from '../../table/table.js'
import { TypeIcon, typeName } from '../../ui/icons.js'
import { BulkDelete } from './actions/bulk-delete.js'

type Row = ScoreTableQuery['scores']['edges'][number]['node']

const hrefOf = ({ stepId, threadId, experimentItem, id }: Row) =>
  stepId !== null
    ? `/steps/${segment(stepId)}?tab=scores`
    : threadId !== null
      ? threadLink(threadId)
      : (experimentItem && experimentItemLink(experimentItem)) || `/scores?q=${segment(`id=${id}`)}`

/** The thread that a score judges, or that of its step. */
const threadOf = ({ step, thread }: Row) => thread ?? step?.thread ?? null

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 170,
    isMain: true,
    cell: (row) =>
      row.stepId === null && row.threadId === null && row.experimentItem === null ? (
        <Text value={row.name} />
      ) : (
        <Link href={hrefOf(row)}>
          <NameOrId name={row.name} id={row.id} />
        </Link>
      ),
  },
  {
    id: 'value',
    title: 'Value',
    width: 110,
    align: 'right',
    orderBy: 'value',
    cell: ({ value, label }) =>
      label ? `${line(label, 20)} (${showScore(value)})` : showScore(value),
  },
  { id: 'by', title: 'By', width: 84, cell: ({ type }) => type },
  {
    id: 'target',
    title: 'Target',
    width: 220,
    isBlank: ({ step, thread, experimentItem }) =>
      step === null && thread === null && experimentItem === null,
    cell: ({ step, thread, experimentItem, datasetExperimentItemId }) =>
      thread !== null ? (
        <ThreadName thread={thread} />
      ) : experimentItem?.experiment != null ? (
        <>
          an item of{' '}
          <Link href={`/experiments/${segment(experimentItem.experiment.id)}`}>
            <NameOrId {...experimentItem.experiment} most={60} />
          </Link>
        </>
      ) : step === null ? (
        <span className="quiet">
          {datasetExperimentItemId === null ? '–' : 'a deleted experiment'}
        </span>
      ) : (
        <>
          <TypeIcon type={step.type} /> {line(step.name, 60) || typeName(step.type)}
          {step.thread !== null && (
            <>
              {' in '}
              <ThreadName thread={step.thread} />
            </>
          )}
        </>
      ),
  },
  {
    id: 'comment',
    title: 'Comment',
    isBlank: ({ comment }) => comment === null,
    cell: ({ comment }) => <Text value={comment} className="soft" />,
  },
  {
    id: 'scorer',
    drops: 1,
    title: 'Scorer',
    width: 130,
    isBlank: ({ scorer }) => scorer === null,
    cell: ({ scorer }) => <Text value={scorer} />,
  },
  {
    id: 'user',
    drops: 2,
    title: 'User',
    width: 130,
    isBlank: (row) => threadOf(row)?.participant == null,
    cell: (row) => {
      const user = threadOf(row)?.participant
      return user == null ? (
        <span className="quiet">–</span>
      ) : (
        <Link href={`/users/${segment(user.id)}`}>
          <Text value={user.identifier} />
        </Link>
      )
    },
  },
  {
    id: 'given',
    title: 'Given',
    width: MOMENT_WIDTH,
    orderBy: 'createdAt',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  { id: 'edit', title: 'Edit', width: 56, cell: (row) => <EditScore score={row} /> },
]

const pick = (data: ScoreTableQuery) => data.scores
const keyOf = ({ id }: Row) => id

export const ScoresPage = () => {
  const mayWrite = useMayWrite()
  return (
    <ListPage<ScoreTableQuery, Row>
      title="Scores"
      exported="scores"
      noun={['score', 'scores']}
      language={SCORE_LANGUAGE}
      subject="SCORES"
      columns={COLUMNS}
      document={ScoreTableDocument as ListConfig<ScoreTableQuery, Row>['document']}
      pick={pick}
      keyOf={keyOf}
      hrefOf={hrefOf}
      placeholder="name=quality value<0.5 by=HUMAN comment~wrong"
      empty={
        <p>
          No scores yet. Give one with <kbd>s</kbd> on any step, by{' '}
          <Link href="/review">Review</Link>, or from code by <code>createScore</code>.
        </p>
      }
      actions={
        mayWrite
          ? (scope, onDone) => (
              <BulkDelete
                scope={scope}
                noun={['score', 'scores']}
                onDone={onDone}
                remove={(id) => change(RemoveScoreDocument, { id })}
              >
                <p>The steps and threads stay. This can't be undone.</p>
              </BulkDelete>
            )
          : undefined
      }
    />
  )
}
