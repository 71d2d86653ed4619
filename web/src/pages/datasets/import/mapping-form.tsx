import { PARTS, type Part } from '../../../importing/importing.js'
import type { FileColumn } from './messages.js'
import { isPath, type Target } from './targets.js'

const NAMES: Record<Part, string> = {
  input: 'Input',
  expectedOutput: 'Expected output',
  metadata: 'Metadata',
}

/** The columns of a file with their first values, and the part of the item that each goes to. */
export const MappingForm = ({
  columns,
  targets,
  onChange,
}: {
  columns: readonly FileColumn[]
  targets: ReadonlyMap<string, Target>
  onChange: (column: string, target: Target) => void
}) => (
  <div className="import-columns">
    <table className="table">
      <thead>
        <tr>
          <th>Column</th>
          <th>First values</th>
          <th>Goes to</th>
          <th>As</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ name, samples }) => {
          const target = targets.get(name) ?? { part: '', path: '' }
          return (
            <tr key={name}>
              <td className="clip" title={name}>
                <bdi>{name}</bdi>
              </td>
              <td className="soft clip" title={samples.join('\n')}>
                <bdi>{samples.join(' · ') || '–'}</bdi>
              </td>
              <td>
                <select
                  className="field"
                  aria-label={`Part of the item for ${name}`}
                  value={target.part}
                  onChange={(event) =>
                    onChange(name, { ...target, part: event.target.value as Part | '' })
                  }
                >
                  {PARTS.map((part) => (
                    <option key={part} value={part}>
                      {NAMES[part]}
                    </option>
                  ))}
                  <option value="">left out</option>
                </select>
              </td>
              <td>
                <input
                  className="field"
                  aria-label={`Path in the part for ${name}`}
                  aria-invalid={isPath(target.path) ? undefined : true}
                  placeholder={name}
                  disabled={target.part === ''}
                  value={target.path}
                  onChange={(event) => onChange(name, { ...target, path: event.target.value })}
                />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  </div>
)
