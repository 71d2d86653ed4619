import type { ReactNode } from 'react'

/** A small table whose columns fit their contents. The last one, behind those that are named, has actions on the row. */
export const ActionTable = ({
  label,
  columns,
  children,
}: {
  label: string
  columns: readonly string[]
  /** The rows. */
  children: ReactNode
}) => (
  <table className="table stacks" aria-label={label} style={{ tableLayout: 'auto' }}>
    <thead>
      <tr>
        {columns.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
        <th scope="col">
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)
