import { useState } from 'react'
import {
  ChangeConversationEndDocument,
  ConversationEndRuleDocument,
  type ConversationEndRuleQuery,
} from '../../../generated/operations.js'
import { useMayWrite } from '../../data/project.js'
import { read, useChange, useData } from '../../data/use-data.js'
import { Field } from '../../ui/field.js'
import { Form, SendButton } from '../../ui/forms/form.js'
import { useOwnChanges, useRefill } from '../../ui/forms/own-changes.js'
import { ProblemView } from '../../ui/problem-view.js'
import { useToast } from '../../ui/toasts.js'

type Rule = ConversationEndRuleQuery['project']['conversationEnd']

/** The rule for the end of a conversation. */
export const ConversationsSection = () => {
  const { data, problem, refresh } = useData(ConversationEndRuleDocument, {})
  return (
    <div className="column" style={{ maxWidth: 560, gap: 12 }}>
      <p className="soft">
        A thread has ended when one of these holds. The filter <code>ended:any</code> finds ended
        threads, <code>ended:none</code> open ones.
      </p>
      {problem !== undefined && <ProblemView problem={problem} retry={refresh} />}
      {data !== undefined && <RuleForm rule={data.project.conversationEnd} onDone={refresh} />}
    </div>
  )
}

/** The parts of the rule, as people know them. */
const TITLES = {
  idleMinutes: 'Minutes without activity',
  tags: 'Tags of the thread',
  toolNames: 'Tools',
} as const

const partsOf = (rule: Rule) => ({
  idleMinutes: rule?.idleMinutes ?? null,
  tags: rule?.tags ?? [],
  toolNames: rule?.toolNames ?? [],
})

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '')

const RuleForm = ({ rule, onDone }: { rule: Rule; onDone: () => void }) => {
  const [minutes, setMinutes] = useState(rule?.idleMinutes?.toString() ?? '')
  const [tags, setTags] = useState(rule?.tags.join('\n') ?? '')
  const [tools, setTools] = useState(rule?.toolNames.join('\n') ?? '')
  const mayWrite = useMayWrite()
  const change = useChange(ChangeConversationEndDocument)
  const showToast = useToast()
  const own = useOwnChanges(partsOf(rule), TITLES)
  const mine = {
    idleMinutes: minutes === '' ? null : Number(minutes),
    tags: linesOf(tags),
    toolNames: linesOf(tools),
  }
  const fill = (parts: ReturnType<typeof partsOf>) => {
    setMinutes(parts.idleMinutes?.toString() ?? '')
    setTags(parts.tags.join('\n'))
    setTools(parts.toolNames.join('\n'))
    own.begin(parts)
  }
  // A rule that another person saved meanwhile takes the place of the one that the page remembers.
  useRefill(partsOf(rule), Object.keys(own.changes(mine)).length > 0, fill)
  const save = async () => {
    const { project } = await read(ConversationEndRuleDocument, {})
    const stored = partsOf(project.conversationEnd)
    const saved = { ...stored, ...own.changes(mine, stored) }
    await change(saved)
    fill(saved)
    showToast('The rule is saved.')
    onDone()
  }
  return (
    <Form
      className="panel column"
      style={{ padding: 12 }}
      onSend={save}
      buttons={
        mayWrite && (
          <div>
            <SendButton label="Save" />
          </div>
        )
      }
    >
      <Field
        name="idleMinutes"
        label="Minutes without activity"
        hint="A later step opens the thread again. Empty: time ends none."
      >
        {(control) => (
          <input
            {...control}
            type="number"
            min={1}
            max={525_600}
            disabled={!mayWrite}
            value={minutes}
            onChange={(event) => setMinutes(event.target.value)}
          />
        )}
      </Field>
      <Field
        name="tags"
        label="Tags of the thread, one per line"
        hint="Without the tag the thread is open again."
      >
        {(control) => (
          <textarea
            {...control}
            rows={3}
            placeholder="resolved"
            disabled={!mayWrite}
            value={tags}
            onChange={(event) => setTags(event.target.value)}
          />
        )}
      </Field>
      <Field
        name="toolNames"
        label="Tools that are called in the last turn, one per line"
        hint="The next message of the user, or the next run, opens the thread again."
      >
        {(control) => (
          <textarea
            {...control}
            rows={3}
            placeholder="end_conversation"
            disabled={!mayWrite}
            value={tools}
            onChange={(event) => setTools(event.target.value)}
          />
        )}
      </Field>
    </Form>
  )
}
