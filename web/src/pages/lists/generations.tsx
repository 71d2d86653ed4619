import { Link } from 'wouter'
import {
  BulkDeleteStepDocument,
  GenerationTableDocument,
  type GenerationTableQuery,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useMayWrite } from '../../data/project.js'
import { change } from '../../data/use-data.js'
import { GENERATION_LANGUAGE } from '../../filter/fields.js'
import { atLeast } from '../../format/money.js'
import { count, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import type { ListConfig } from '../../list/list-config.js'
import { ListPage } from '../../list/list-page.js'
import { EmptyHint } from '../../parts/empty-hint.js'
import { PromptName } from '../../parts/prompt-name.js'
import { ErrorMark, Said, Scores, Started, Tags, Text } from '../../table/cells.js'
import { type Column, MOMENT_WIDTH } from '../../table/table.js'
import { BulkDataset } from './actions/bulk-dataset.js'
import { BulkDelete } from './actions/bulk-delete.js'
import { BulkScore } from './actions/bulk-score.js'
import { BulkTags } from './actions/bulk-tags.js'
import { COPY_GENERATION } from './actions/copy-generation.js'
import { STEP_TAGS } from './actions/step-tags.js'

type Row = GenerationTableQuery['generations']['edges'][number]['node']

const hrefOf = ({ id }: Row) => `/steps/${segment(id)}?tab=generation`

/** A client tags the model call or its step. */
const tagsOf = ({ tags, step }: Row): string[] => [
  ...new Set([...(tags ?? []), ...(step?.tags ?? [])]),
]

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'error',
    title: 'Err',
    width: 48,
    isBlank: ({ error }) => error === null,
    cell: ({ error }) => (error === null ? null : <ErrorMark text={error} />),
  },
  {
    id: 'model',
    title: 'Model',
    width: 180,
    isMain: true,
    cell: (row) => (
      <Link href={hrefOf(row)}>
        <bdi>{line(row.model) || 'model not recorded'}</bdi>
      </Link>
    ),
  },
  {
    id: 'provider',
    drops: 3,
    title: 'Provider',
    width: 110,
    isBlank: ({ provider }) => provider === null,
    cell: ({ provider }) => <Text value={provider} />,
  },
  {
    id: 'input',
    title: 'Asked',
    width: 220,
    drops: 2,
    isBlank: () => true,
    cell: ({ inputExcerpt }) => <Text value={inputExcerpt} className="soft" />,
  },
  {
    id: 'output',
    title: 'Answer',
    isLine: true,
    isBlank: ({ outputExcerpt, error }) => !outputExcerpt && !error,
    cell: ({ outputExcerpt, error }, shows) => (
      <Said text={outputExcerpt} error={error} isErrorFirst={!shows('message')} />
    ),
  },
  {
    id: 'message',
    title: 'Error',
    drops: 2,
    width: 200,
    isLine: true,
    isBlank: ({ outputExcerpt, error }) => !outputExcerpt || !error,
    cell: ({ error }) => <Text value={error} className="bad" />,
  },
  {
    id: 'started',
    title: 'Started',
    width: MOMENT_WIDTH,
    orderBy: 'startedAt',
    cell: ({ startedAt, createdAt }) => <Started at={startedAt} arrived={createdAt} />,
  },
  {
    id: 'duration',
    title: 'Dur.',
    width: 80,
    align: 'right',
    orderBy: 'duration',
    isBlank: (row) => row.duration === null,
    cell: (row) => duration(row.duration === null ? null : row.duration * 1000),
  },
  {
    id: 'first',
    title: '1st tok',
    drops: 1,
    unit: 'to 1st',
    width: 80,
    align: 'right',
    isBlank: ({ ttFirstToken }) => ttFirstToken === null,
    cell: ({ ttFirstToken }) => duration(ttFirstToken),
  },
  {
    id: 'in',
    title: 'In',
    unit: 'in',
    width: 72,
    align: 'right',
    isBlank: ({ inputTokenCount }) => inputTokenCount === null,
    cell: ({ inputTokenCount }) => count(inputTokenCount),
  },
  {
    id: 'out',
    title: 'Out',
    unit: 'out',
    width: 72,
    align: 'right',
    isBlank: ({ outputTokenCount }) => outputTokenCount === null,
    cell: ({ outputTokenCount }) => count(outputTokenCount),
  },
  {
    id: 'total',
    drops: 3,
    title: 'Tokens',
    unit: 'tok',
    width: 76,
    align: 'right',
    orderBy: 'tokenCount',
    isBlank: ({ tokenCount }) => tokenCount === null,
    cell: ({ tokenCount }) => count(tokenCount),
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 84,
    align: 'right',
    orderBy: 'cost',
    isBlank: (row) => row.cost === null,
    cell: (row) => atLeast(row.cost, row.isCostPartial === true),
  },
  {
    id: 'rate',
    drops: 3,
    title: 'tok/s',
    width: 72,
    align: 'right',
    isBlank: () => true,
    cell: ({ outputTokenCount, duration: seconds }) =>
      outputTokenCount !== null && seconds ? showScore(outputTokenCount / seconds) : '–',
  },
  {
    id: 'prompt',
    title: 'Prompt',
    width: 140,
    drops: 1,
    // Its name comes later than the row.
    isLine: true,
    isBlank: ({ promptId }) => promptId === null,
    cell: ({ promptId }) =>
      promptId === null ? <span className="quiet">–</span> : <PromptName id={promptId} />,
  },
  {
    id: 'scores',
    title: 'Scores',
    drops: 2,
    width: 150,
    isBlank: ({ step }) => !step?.scores.length,
    cell: ({ step }) => <Scores scores={step?.scores.slice(-3) ?? []} />,
  },
  {
    id: 'tags',
    drops: 4,
    title: 'Tags',
    width: 120,
    isBlank: (row) => tagsOf(row).length === 0,
    cell: (row) => <Tags tags={tagsOf(row)} />,
  },
]

const pick = (data: GenerationTableQuery) => data.generations
const keyOf = ({ id }: Row) => id
const startOf = ({ startedAt, createdAt }: Row) => startedAt ?? createdAt

export const GenerationsPage = () => {
  const mayWrite = useMayWrite()
  return (
    <ListPage<GenerationTableQuery, Row>
      title="Generations"
      exported="generations"
      noun={['generation', 'generations']}
      language={GENERATION_LANGUAGE}
      subject="GENERATIONS"
      columns={COLUMNS}
      document={GenerationTableDocument as ListConfig<GenerationTableQuery, Row>['document']}
      pick={pick}
      keyOf={keyOf}
      hrefOf={hrefOf}
      startOf={startOf}
      hasEnvironment
      placeholder="model=gpt-4o duration>5 prompt=support score[quality]<0.5"
      empty={<EmptyHint what="generations" />}
      actions={
        mayWrite
          ? (scope, onDone) => {
              const rest = { scope, noun: ['generation', 'generations'] as const, onDone }
              return (
                <>
                  <BulkTags {...rest} stored={STEP_TAGS} />
                  <BulkScore {...rest} subject="stepId" />
                  <BulkDataset {...rest} ways={[COPY_GENERATION]} />
                  <BulkDelete {...rest} remove={(id) => change(BulkDeleteStepDocument, { id })}>
                    <p>
                      Their steps go with them, and the scores and files of those; the steps below
                      them stay. Copies in datasets stay. This can't be undone.
                    </p>
                  </BulkDelete>
                </>
              )
            }
          : undefined
      }
    />
  )
}
