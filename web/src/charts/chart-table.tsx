import { Link } from 'wouter'
import { line } from '../format/text.js'
import { dayAndTime, full } from '../format/time.js'
import type { ChartProps } from './chart-props.js'

export const ChartTable = ({ starts, lines, show, linkFor, title }: ChartProps) => (
  <div className="chart-table">
    <table className="table" aria-label={title} style={{ tableLayout: 'auto' }}>
      <thead>
        <tr>
          <th scope="col">From</th>
          {lines.map(({ name }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a model may be called as the rest is
            <th scope="col" key={index} className="right">
              <bdi>{line(name, 60)}</bdi>
            </th>
          ))}
          {linkFor !== undefined && <th scope="col">Rows</th>}
        </tr>
      </thead>
      <tbody>
        {starts.map((start, index) => {
          const iso = new Date(start * 1000).toISOString()
          const link = linkFor?.(index)
          return (
            <tr key={start}>
              <td title={full(iso)}>{dayAndTime(iso)}</td>
              {lines.map(({ values }, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a model may be called as the rest is
                <td key={place} className="right">
                  {show(values[index])}
                </td>
              ))}
              {linkFor !== undefined && (
                <td>{link && <Link href={link.href}>{link.text}</Link>}</td>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  </div>
)
