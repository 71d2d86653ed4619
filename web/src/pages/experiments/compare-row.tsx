import { diffWords } from 'diff'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { segment } from '../../address/segment.js'
import { score as showScore, signed } from '../../format/number.js'
import { visible } from '../../format/text.js'
import { readable, textOf } from '../../values/readable.js'
import { type Better, type ComparedItem, deltaOf } from './comparison.js'

const MAX_TEXT_LENGTH = 4000

/** Returns a text as it is, other values in readable form. */
const shownText = (value: unknown): string =>
  (value == null ? '' : (textOf(value) ?? readable(value))).slice(0, MAX_TEXT_LENGTH)

/** An item with the result of each experiment. */
export const CompareRow = ({
  item,
  better,
  isActive,
  marksWords,
}: {
  item: ComparedItem
  better: Better
  isActive: boolean
  marksWords: boolean
}) => {
  const base = shownText(item.cells[0]?.output)
  return (
    <div className={`compare-row${isActive ? ' is-active' : ''}`} id={`item-${item.id}`}>
      <div className="item-cell" dir="auto">
        {visible(shownText(item.input)) || <span className="quiet">the item was deleted</span>}
      </div>
      <div className="expected-cell soft" dir="auto">
        {visible(shownText(item.expectedOutput)) || <span className="quiet">–</span>}
      </div>
      {item.cells.map((cell, index) => {
        const delta = index === 0 ? undefined : deltaOf(item, index)
        const isGood = delta !== undefined && delta !== 0 && delta > 0 === (better !== 'LOWER')
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: cells are in the order of the experiments
          <div key={index} dir="auto">
            {cell === undefined ? (
              <span className="quiet">not run</span>
            ) : (
              <>
                <div className="compare-score">
                  <span>{showScore(cell.score)}</span>
                  {delta !== undefined && delta !== 0 && better !== 'NONE' && (
                    <span className={isGood ? 'good' : 'bad'}>
                      {isGood ? '▲' : '▼'} {signed(delta)} {isGood ? 'better' : 'worse'}
                    </span>
                  )}
                  {cell.repeats > 1 && <span className="quiet">mean of {cell.repeats}</span>}
                  {cell.runId !== null && (
                    <Link href={`/steps/${segment(cell.runId)}`} className="soft">
                      run
                    </Link>
                  )}
                </div>
                <Output
                  text={shownText(cell.output)}
                  base={index > 0 && marksWords ? base : undefined}
                />
              </>
            )}
          </div>
        )
      })}
    </div>
  )
}

/** An output with its differences from the base marked. */
const Output = ({ text, base }: { text: string; base: string | undefined }) => {
  const parts = useMemo(
    () =>
      base === undefined || base === text ? undefined : diffWords(base, text, { timeout: 100 }),
    [text, base],
  )
  if (parts === undefined) return <>{visible(text)}</>
  return (
    <>
      {parts.map(({ value, added, removed }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        if (added) return <ins key={index}>{visible(value)}</ins>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        if (removed) return <del key={index}>{visible(value)}</del>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names
        return <span key={index}>{visible(value)}</span>
      })}
    </>
  )
}
