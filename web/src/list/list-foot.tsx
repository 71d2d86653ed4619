import type { Changes } from '../address/use-address.js'
import { PageFoot } from '../table/page-foot.js'
import type { Connection } from './list-config.js'

/** Removes from the address the position in a list. */
export const START = { after: null, before: null, row: null }

const SIZES = [25, 50, 100, 200]
/** The service rejects larger pages. */
export const MAX_PAGE_SIZE = 1000

export const isPageSize = (size: number): boolean =>
  Number.isInteger(size) && size > 0 && size <= MAX_PAGE_SIZE

/** Links to the pages before and after, and the choice of the page size. */
export const ListFoot = ({
  pageInfo,
  isNewestFirst,
  isStart,
  size,
  onChange,
}: {
  pageInfo: Connection<unknown>['pageInfo']
  isNewestFirst: boolean
  isStart: boolean
  size: number
  /** Changes of the address. */
  onChange: (changes: Changes) => void
}) => (
  <PageFoot
    info={pageInfo}
    before={isNewestFirst ? 'newer' : 'before'}
    after={isNewestFirst ? 'older' : 'after'}
    onMove={(position) => onChange({ ...START, ...position })}
  >
    {!isStart && (
      <button type="button" className="button plain" onClick={() => onChange(START)}>
        to the start
      </button>
    )}
    <span className="grow" />
    <label className="row quiet">
      rows
      <select
        className="field"
        value={String(size)}
        onChange={(event) => onChange({ ...START, size: event.target.value })}
      >
        {[...new Set([...SIZES, size])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  </PageFoot>
)
