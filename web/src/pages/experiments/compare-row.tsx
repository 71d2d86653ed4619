import { diffWords } from 'diff'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { segment } from '../../address/segment.js'
import { dollars } from '../../format/money.js'
import { count, plural } from '../../format/number.js'
import { line, visible } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { readable, textOf } from '../../values/readable.js'
import type { Better } from './comparing/direction.js'
import type { Cell, Flip, Row } from './comparing/rows.js'
import type { Details } from './use-details.js'

const MAX_TEXT_LENGTH = 4000

/** Returns a text as it is, other values in readable form. */
const shownText = (value: unknown): string =>
  (value == null ? '' : (textOf(value) ?? readable(value))).slice(0, MAX_TEXT_LENGTH)

/** Shows the chosen score or measure. */
export interface Shows {
  value: (value: number | undefined) => string
  signed: (value: number) => string
}

/** An item with the result of each experiment. */
export const CompareRow = ({
  row,
  names,
  details,
  better,
  shows,
  historyHref,
  isActive,
  marksWords,
  isAwaited,
}: {
  row: Row
  /** The names of the experiments. */
  names: readonly string[]
  /** Undefined until they are read. */
  details: Details | undefined
  better: Better
  shows: Shows
  /** Undefined where there is none. */
  historyHref: string | undefined
  isActive: boolean
  marksWords: boolean
  /** Its texts are on the way; their height is not known before. */
  isAwaited: boolean
}) => {
  const base = shownText(details?.results[0]?.output)
  return (
    <div
      className={`compare-row${isActive ? ' is-active' : ''}${isAwaited ? ' is-awaited' : ''}`}
      id={`item-${row.item}`}
    >
      <div className="item-cell" dir="auto">
        {details !== undefined &&
          (visible(shownText(details.input)) || (
            <span className="quiet">the item was deleted</span>
          ))}
        {historyHref !== undefined && (
          <div>
            <Link
              href={historyHref}
              className="soft"
              aria-label={`history of ${line(shownText(details?.input), 80) || row.item}`}
            >
              history
            </Link>
          </div>
        )}
      </div>
      <div className="expected-cell soft" dir="auto">
        {details !== undefined &&
          (visible(shownText(details.expectedOutput)) || <span className="quiet">–</span>)}
      </div>
      {row.cells.map((cell, index) => {
        const result = details?.results[index]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: cells are in the order of the experiments
          <div key={index} dir="auto">
            <div className="cell-name soft">
              <bdi>{line(names[index], 60)}</bdi>
            </div>
            {cell === undefined ? (
              <span className="quiet">not run</span>
            ) : (
              <>
                <div className="compare-score">
                  <span>{shows.value(cell.value)}</span>
                  <Change
                    delta={index === 0 ? undefined : row.deltas[index]}
                    flip={row.flips[index]}
                    better={better}
                    signed={shows.signed}
                  />
                  {result?.experimentRunId != null && (
                    <Link href={`/steps/${segment(result.experimentRunId)}`} className="soft">
                      run
                    </Link>
                  )}
                </div>
                <Facts cell={cell} />
                {result?.error != null && (
                  <div className="bad">{visible(result.error.slice(0, MAX_TEXT_LENGTH))}</div>
                )}
                <Output
                  text={shownText(result?.output)}
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

const FLIPS: Readonly<Record<Flip, string>> = { lost: 'passed → failed', won: 'failed → passed' }

/** The difference from the base, in words. */
const Change = ({
  delta,
  flip,
  better,
  signed,
}: {
  delta: number | undefined
  flip: Flip | undefined
  better: Better
  signed: (value: number) => string
}) => {
  if (delta === undefined || delta === 0) return null
  if (better === 'NONE') return <span>{signed(delta)}</span>
  const isGood = delta > 0 === (better !== 'LOWER')
  return (
    <span className={isGood ? 'good' : 'bad'}>
      {isGood ? '▲' : '▼'} {signed(delta)}{' '}
      {flip === undefined ? (isGood ? 'better' : 'worse') : FLIPS[flip]}
    </span>
  )
}

/** Repetitions, failures, and what the results took. */
const Facts = ({ cell }: { cell: Cell }) => {
  const { repetitions, compared, failed, durationMs, tokens, cost, isCostGiven } = cell
  const facts = [
    ...(repetitions > 1
      ? [
          compared === undefined || compared === repetitions
            ? `mean of ${repetitions}`
            : `${compared} of ${plural(repetitions, 'repetition')} compared`,
        ]
      : []),
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
    ...(tokens === undefined || tokens === 0 ? [] : [`${count(Math.round(tokens))} tokens`]),
    ...(cost === undefined ? [] : [`${dollars(cost)}${isCostGiven ? ' given' : ''}`]),
  ]
  return (
    <div className="soft">
      {failed > 0 && (
        <span className="bad">
          {failed === repetitions && repetitions === 1 ? 'failed' : `${failed} failed`}
          {facts.length > 0 && ' · '}
        </span>
      )}
      {facts.join(' · ')}
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
