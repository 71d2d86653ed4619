import type { Texts } from './messages.js'

const HEAD = /^# (?:HELP|TYPE) (\S+)/

/** A metric: its description, which all processes have alike, and what each of them measured. */
interface Family {
  heads: Set<string>
  samples: string[]
}

/**
 * Merges what several processes measured, in the text form that Prometheus reads: each sample gets the number of its
 * process as the label `worker`. Samples are not added, as a sum of counters falls when a process is replaced.
 */
export const mergeMetrics = (texts: Texts): string => {
  const families = new Map<string, Family>()
  const familyOf = (name: string): Family => {
    const family = families.get(name) ?? { heads: new Set(), samples: [] }
    families.set(name, family)
    return family
  }
  for (const [worker, text] of texts) {
    let family: Family | undefined
    for (const line of text.split('\n')) {
      const name = HEAD.exec(line)?.[1]
      if (name !== undefined) {
        family = familyOf(name)
        family.heads.add(line)
      } else if (line !== '') family?.samples.push(labelled(line, worker))
    }
  }
  const lines = [...families.values()].flatMap(({ heads, samples }) => [...heads, ...samples])
  return `${lines.join('\n')}\n`
}

const labelled = (line: string, worker: number): string => {
  const [open, space] = [line.indexOf('{'), line.indexOf(' ')]
  return open !== -1 && open < space
    ? `${line.slice(0, open)}{worker="${worker}",${line.slice(open + 1)}`
    : `${line.slice(0, space)}{worker="${worker}"}${line.slice(space)}`
}
