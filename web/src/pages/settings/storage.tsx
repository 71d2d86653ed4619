import '../../values/values.css'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { EnvironmentsDocument, SettingsPageDocument } from '../../../generated/operations.js'
import { useData } from '../../data/use-data.js'
import { bytes, count } from '../../format/number.js'
import { Time } from '../../table/cells.js'
import { ProblemView } from '../../ui/problem-view.js'

export const StorageSection = () => {
  const page = useData(SettingsPageDocument, {})
  if (page.problem !== undefined) return <ProblemView problem={page.problem} retry={page.refresh} />
  const project = page.data?.project
  if (project === undefined) return null
  const { storage } = project
  return (
    <dl className="facts">
      <dt>Project</dt>
      <dd>
        <bdi>{project.name}</bdi>
      </dd>
      <dt>Project id</dt>
      <dd className="mono">{project.id}</dd>
      <dt>Created</dt>
      <dd>
        <Time at={project.createdAt} />
      </dd>
      {storage === null ? (
        <>
          <dt>Storage</dt>
          <dd>shown to keys with the scope admin</dd>
        </>
      ) : (
        <>
          <dt>Database</dt>
          <dd>
            {storage.database === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL server'}
            {storage.databasePlace === null
              ? ', in memory: gone when the service stops'
              : ` in ${storage.databasePlace}`}
          </dd>
          <dt>Size</dt>
          <dd>{bytes(storage.databaseBytes)}, of all projects</dd>
          <dt>Files</dt>
          <dd>
            {storage.files === 'bucket' ? 'bucket' : 'folder'}{' '}
            {storage.filesPlace ?? 'that is removed when the service stops'}
          </dd>
        </>
      )}
    </dl>
  )
}

const DAYS = 30

export const EnvironmentsSection = () => {
  const range = useMemo(() => {
    const to = new Date()
    return {
      from: new Date(to.getTime() - DAYS * 86_400_000).toISOString(),
      to: to.toISOString(),
    }
  }, [])
  const page = useData(EnvironmentsDocument, range)
  return (
    <div className="column" style={{ maxWidth: 640 }}>
      <p>
        A step belongs to the environment that its client names: <code>environment</code> of the
        SDK, or the header <code>x-env</code>. The environments are dev, staging, prod and
        experiment. Default: prod. Steps of the last {DAYS} days:
      </p>
      {page.problem !== undefined && <ProblemView problem={page.problem} retry={page.refresh} />}
      <table className="table" aria-label="Environments">
        <thead>
          <tr>
            <th scope="col">Environment</th>
            <th scope="col" className="right">
              Steps
            </th>
            <th scope="col" className="right">
              Failed
            </th>
          </tr>
        </thead>
        <tbody>
          {page.data?.metrics.series.map(({ key, total }) => (
            <tr key={key}>
              <td>
                <Link href={`/steps?env=${key ?? ''}`}>{key ?? 'not recorded'}</Link>
              </td>
              <td className="right">{count(total.count)}</td>
              <td className="right">{count(total.errorCount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
