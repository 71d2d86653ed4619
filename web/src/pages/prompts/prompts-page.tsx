import { Field } from '../../ui/field.js'
import '../../table/table.css'
import { useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  NewLineageDocument,
  PromptTableDocument,
  type PromptTableQuery,
} from '../../../generated/operations.js'
import { usePageWidth } from '../../browser/use-width.js'
import { useMayWrite } from '../../data/project.js'
import { useChange, useData } from '../../data/use-data.js'
import { count, nounOf, plural, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { NameOrId } from '../../parts/name-or-id.js'
import { Time } from '../../table/cells.js'
import { type Column, MOMENT_WIDTH, Table } from '../../table/table.js'
import { FormDialog } from '../../ui/forms/form-dialog.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Snippet } from '../../ui/snippet.js'
import { Top } from '../../ui/top.js'
import { promptLink } from './prompt-link.js'
import { shares } from './split.js'
import { weekAgo } from './week.js'

type Row = PromptTableQuery['promptLineages']['edges'][number]['node']

const usesOf = ({ versions }: Row): number =>
  versions.reduce((sum, { use }) => sum + use.generationCount, 0)

const COLUMNS: readonly Column<Row>[] = [
  {
    id: 'name',
    title: 'Name',
    isMain: true,
    cell: (row) => (
      <Link href={promptLink(row.name)}>
        <NameOrId name={row.name} id={row.id} />
      </Link>
    ),
  },
  {
    id: 'split',
    title: 'Live split, labels',
    width: 240,
    cell: ({ rollouts, versions, labels }) =>
      versions.length === 0 ? (
        <span className="quiet">no version yet</span>
      ) : (
        [
          ...shares(rollouts)
            .filter(({ percent }) => percent > 0)
            .map(({ version, percent }) => `v${version} ${percent} %`),
          ...labels.map(({ name, version }) => `${line(name, 30)} v${version}`),
        ].join(' · ')
      ),
  },
  {
    id: 'versions',
    title: 'Versions',
    unit: ({ versions }) => nounOf(versions.length, 'version'),
    width: 84,
    align: 'right',
    cell: ({ versions }) => count(versions.length),
  },
  {
    id: 'uses',
    title: 'Uses 7 d',
    unit: (row) => `${nounOf(usesOf(row), 'use')} in 7 d`,
    width: 90,
    align: 'right',
    cell: (row) => count(usesOf(row)),
  },
  {
    id: 'scores',
    title: 'Scores, newest version',
    width: 220,
    isBlank: ({ versions }) => !versions[0]?.use.scores.length,
    cell: ({ versions }) =>
      versions[0]?.use.scores
        .slice(0, 3)
        .map(({ name, mean }) => `${line(name, 30)} ${showScore(mean)}`)
        .join(', ') || <span className="quiet">–</span>,
  },
  {
    id: 'changed',
    title: 'Last change',
    width: MOMENT_WIDTH,
    cell: ({ versions, createdAt }) => <Time at={versions[0]?.createdAt ?? createdAt} />,
  },
]

const SNIPPET = `const prompt = await stepwell.api.getOrCreatePrompt('support', [
  { role: 'system', content: 'You help customers of {{shop}}.' },
])

const messages = prompt.formatMessages({ shop: 'Well & Co' })
`

export const PromptsPage = () => {
  const since = useMemo(weekAgo, [])
  const page = useData(PromptTableDocument, { since })
  const mayWrite = useMayWrite()
  const width = usePageWidth()
  const [isOpen, setOpen] = useState(false)
  const rows = page.data?.promptLineages.edges.map(({ node }) => node) ?? []
  return (
    <>
      <Top title="Prompts">
        {/* Keeps its place until it is known, so that the head of a narrow screen wraps from the first. */}
        <span
          className="list-count"
          style={page.data === undefined ? { visibility: 'hidden' } : undefined}
        >
          {plural(rows.length, 'prompt')}
        </span>
        {mayWrite && (
          <button type="button" className="button" onClick={() => setOpen(true)}>
            New prompt
          </button>
        )}
      </Top>
      <div className="page">
        {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
        {page.data !== undefined && rows.length === 0 ? (
          <div className="empty">
            <p>No prompts yet. The first call creates one with its first version:</p>
            <Snippet code={SNIPPET} />
          </div>
        ) : (
          <Table
            label="Prompts"
            columns={COLUMNS}
            rows={rows}
            keyOf={({ id }) => id}
            hrefOf={({ name }) => promptLink(name)}
            skeletonRows={page.isLoading ? 8 : 0}
            width={width}
          />
        )}
      </div>
      {isOpen && <NewPromptDialog onClose={() => setOpen(false)} />}
    </>
  )
}

const NewPromptDialog = ({ onClose }: { onClose: () => void }) => {
  const create = useChange(NewLineageDocument)
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [, navigate] = useLocation()
  return (
    <FormDialog
      title="New prompt"
      send="Continue to its first version"
      onClose={onClose}
      onSend={async (isOpen) => {
        const { createPromptLineage: prompt } = await create({
          name,
          description: description || null,
        })
        // A draft that looks like the first version would become the next one of a prompt in use.
        if (prompt != null && prompt.versions.length > 0)
          throw new Error('name: a prompt has this name already; expected another name')
        if (isOpen()) navigate(`${promptLink(name)}/new`)
      }}
    >
      <Field name="name" label="Name">
        {(control) => (
          <input
            {...control}
            required
            // biome-ignore lint/a11y/noAutofocus: the dialog's first field
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field name="description" label="Purpose">
        {(control) => (
          <input
            {...control}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
