/** The order of rows, where there is no room for the heads that set it elsewhere. */
export const SortSelect = ({
  columns,
  sort,
  onSort,
}: {
  columns: readonly { id: string; title: string; orderBy?: string }[]
  sort: { column: string; direction: 'ASC' | 'DESC' } | undefined
  /** Sorts by another order, or turns the current one round. */
  onSort: (column: string) => void
}) => (
  <caption className="sort-select">
    <label className="row">
      <span className="soft">Sorted by</span>
      <select
        className="field"
        value={sort?.column ?? ''}
        onChange={(event) => onSort(event.target.value)}
      >
        {sort !== undefined && columns.every(({ orderBy }) => orderBy !== sort.column) && (
          <option value={sort.column}>another order</option>
        )}
        {columns.map(
          ({ id, title, orderBy }) =>
            orderBy !== undefined && (
              <option key={id} value={orderBy}>
                {title}
              </option>
            ),
        )}
      </select>
    </label>
    {sort !== undefined && (
      <button
        type="button"
        className="button"
        aria-label={sort.direction === 'ASC' ? 'Highest first' : 'Lowest first'}
        onClick={() => onSort(sort.column)}
      >
        {sort.direction === 'ASC' ? '↑' : '↓'}
      </button>
    )}
  </caption>
)
