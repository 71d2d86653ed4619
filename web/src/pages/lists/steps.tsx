import { Link } from 'wouter'
import {
  BulkDeleteStepDocument,
  CopyStepDocument,
  StepTableDocument,
  type StepTableQuery,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useMayWrite } from '../../data/project.js'
import { change } from '../../data/use-data.js'
import { STEP_LANGUAGE } from '../../filter/fields.js'
import { atLeast } from '../../format/money.js'
import { count } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import type { ListConfig } from '../../list/list-config.js'
import { ListPage } from '../../list/list-page.js'
import { EmptyHint } from '../../parts/empty-hint.js'
import { ThreadName } from '../../parts/thread-name.js'
import { ErrorMark, Said, Scores, Started, Tags, Text } from '../../table/cells.js'
import { type Column, MOMENT_WIDTH } from '../../table/table.js'
import { TypeIcon, typeName } from '../../ui/icons.js'
import { BulkDataset } from './actions/bulk-dataset.js'
import { BulkDelete } from './actions/bulk-delete.js'
import { BulkScore } from './actions/bulk-score.js'
import { BulkTags } from './actions/bulk-tags.js'
import { COPY_GENERATION } from './actions/copy-generation.js'
import { STEP_TAGS } from './actions/step-tags.js'

type Row = StepTableQuery['steps']['edges'][number]['node']

const COPY_STEP = {
  contents: 'the step: input, output as the expected output, and the steps below it',
  type: 'key_value',
  copy: async (datasetId: string, { id }: { id: string }) =>
    (await change(CopyStepDocument, { datasetId, stepId: id })).addStepToDataset?.id,
} as const

export const stepLink = (step: { id: string; thread?: { id: string } | null }) =>
  step.thread == null
    ? `/steps/${segment(step.id)}`
    : `/threads/${segment(step.thread.id)}?step=${segment(step.id)}`

const lengthOf = ({ startTime, endTime }: Row): number | null =>
  startTime === null || endTime === null ? null : Date.parse(endTime) - Date.parse(startTime)

const errorOf = ({ error, generation }: Row) => error ?? generation?.error

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'error',
    title: 'Err',
    width: 48,
    isBlank: ({ error, generation }) => error === null && generation?.error == null,
    cell: ({ error, generation }) =>
      error === null && generation?.error == null ? null : (
        <ErrorMark text={error ?? generation?.error} />
      ),
  },
  {
    id: 'type',
    title: 'Type',
    width: 150,
    cell: ({ type }) => (
      <>
        <TypeIcon type={type} /> {typeName(type)}
      </>
    ),
  },
  {
    id: 'name',
    title: 'Name',
    width: 160,
    isMain: true,
    cell: (step) => (
      <Link href={stepLink(step)}>
        <bdi>{line(step.name) || typeName(step.type)}</bdi>
      </Link>
    ),
  },
  {
    id: 'input',
    title: 'Input',
    drops: 2,
    width: 220,
    isBlank: () => true,
    cell: ({ inputExcerpt }) => <Text value={inputExcerpt} className="soft" />,
  },
  {
    id: 'output',
    title: 'Output',
    isLine: true,
    isBlank: (step) => !step.outputExcerpt && !errorOf(step),
    cell: (step, shows) => (
      <Said text={step.outputExcerpt} error={errorOf(step)} isErrorFirst={!shows('message')} />
    ),
  },
  {
    id: 'message',
    title: 'Error',
    drops: 2,
    width: 200,
    isLine: true,
    isBlank: (step) => !step.outputExcerpt || !errorOf(step),
    cell: (step) => <Text value={errorOf(step)} className="bad" />,
  },
  {
    id: 'started',
    title: 'Started',
    width: MOMENT_WIDTH,
    orderBy: 'startedAt',
    cell: ({ startTime, createdAt }) => <Started at={startTime} arrived={createdAt} ms />,
  },
  {
    id: 'duration',
    title: 'Dur.',
    width: 84,
    align: 'right',
    isBlank: (step) => lengthOf(step) === null,
    cell: (step) => duration(lengthOf(step)),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    unit: 'tok',
    width: 76,
    align: 'right',
    isBlank: ({ generation }) => generation?.tokenCount == null,
    cell: ({ generation }) => count(generation?.tokenCount),
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 84,
    drops: 1,
    align: 'right',
    isBlank: (row) => (row.generation?.cost ?? null) === null,
    cell: (row) => atLeast(row.generation?.cost, row.generation?.isCostPartial === true),
  },
  {
    id: 'thread',
    title: 'Thread',
    drops: 1,
    width: 136,
    isBlank: ({ thread }) => thread === null,
    cell: ({ thread }) =>
      thread === null ? <span className="quiet">–</span> : <ThreadName thread={thread} />,
  },
  {
    id: 'scores',
    drops: 2,
    title: 'Scores',
    width: 140,
    isBlank: ({ scores }) => scores.length === 0,
    cell: ({ scores }) => <Scores scores={scores.slice(-3)} />,
  },
  {
    id: 'tags',
    drops: 3,
    title: 'Tags',
    width: 120,
    isBlank: ({ tags }) => !tags?.length,
    cell: ({ tags }) => <Tags tags={tags} />,
  },
  {
    id: 'environment',
    drops: 3,
    title: 'Env',
    width: 84,
    isBlank: () => true,
    cell: ({ environment }) => <Text value={environment} />,
  },
]

const pick = (data: StepTableQuery) => data.steps
const keyOf = ({ id }: Row) => id
const startOf = ({ startTime, createdAt }: Row) => startTime ?? createdAt

export const StepsPage = () => {
  const mayWrite = useMayWrite()
  return (
    <ListPage<StepTableQuery, Row>
      title="Steps"
      exported="steps"
      noun={['step', 'steps']}
      language={STEP_LANGUAGE}
      subject="STEPS"
      columns={COLUMNS}
      document={StepTableDocument as ListConfig<StepTableQuery, Row>['document']}
      pick={pick}
      keyOf={keyOf}
      hrefOf={stepLink}
      startOf={startOf}
      hasEnvironment
      placeholder={'type=tool error:any name~search output~"lost bag"'}
      empty={<EmptyHint what="steps" />}
      actions={
        mayWrite
          ? (scope, onDone) => {
              const rest = { scope, noun: ['step', 'steps'] as const, onDone }
              return (
                <>
                  <BulkTags {...rest} stored={STEP_TAGS} />
                  <BulkScore {...rest} subject="stepId" />
                  <BulkDataset {...rest} ways={[COPY_STEP, COPY_GENERATION]} />
                  <BulkDelete {...rest} remove={(id) => change(BulkDeleteStepDocument, { id })}>
                    <p>
                      Their scores and files go with them; the steps below them stay. Copies in
                      datasets stay. This can't be undone.
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
