// Lists questions of people and programs that no page of the web UI asks.
import { RARE } from './fill.js'

const DAY = 86_400_000
const list = (name, args, node = 'id name') =>
  `{ ${name}(first: 50, ${args}) { edges { node { ${node} } } } }`
const metric = (subject, args) =>
  `{ metrics(subject: ${subject}, from: "${new Date(Date.now() - 30 * DAY).toISOString()}", to: "${new Date().toISOString()}", ${args}) { series { key total { count p50 p95 } } } }`

/** GraphQL documents by what they ask. */
export const QUESTIONS = {
  'a text of one step': list('steps', `query: "content~${RARE}"`),
  'a text of no step': list('steps', 'query: "content~unfindable-9999"'),
  'a frequent word': list('steps', 'query: "content~refund"'),
  'threads with a text': list('threads', `query: "stepContent~${RARE}"`),
  'failed calls of a tool': list('steps', 'query: "name=tool_3 error:any"'),
  'threads where a tool failed in a step': list('threads', 'query: "any(type=tool error:any)"'),
  'failed threads of a user with a bad score': list(
    'threads',
    'query: "error:any score[feedback]<1"',
  ),
  'users by cost': list('participants', 'orderBy: { column: "cost", direction: DESC }', 'id cost'),
  'models by count, 30 days': metric('generations', 'by: model'),
  'tools by duration, 30 days': metric('steps', 'by: name'),
  'durations of a filter, 30 days': metric('steps', 'query: "name=tool_3"'),
  'a step': '{ step(id: "b-7-0-q") { id input output } }',
  'the outline of a long thread': '{ outline(threadId: "b-1") { stepCount errorCount skeleton } }',
}
