import { type PricesSectionQuery, RepriceDocument } from '../../../../generated/operations.js'
import { useMayWrite } from '../../../data/project.js'
import { useChange } from '../../../data/use-data.js'
import { count, plural } from '../../../format/number.js'
import { Time } from '../../../table/cells.js'
import { useToast } from '../../../ui/toasts.js'
import { useRepricing } from './use-repricing.js'

/** Computes the costs of stored calls anew, and shows the progress. */
export const Repricing = ({ last }: { last: PricesSectionQuery['repricing'] }) => {
  const { run, refresh } = useRepricing(last)
  const start = useChange(RepriceDocument)
  const showToast = useToast()
  const mayWrite = useMayWrite()
  const isRunning = run !== null && run.endedAt === null
  return (
    <section aria-label="Stored calls">
      <h2>Stored calls</h2>
      <p className="soft">
        They keep the cost of the prices that held when they arrived, until all are computed anew.
      </p>
      <p role="status">
        {run !== null &&
          (isRunning ? (
            <>
              <progress max={Math.max(run.total, 1)} value={run.done} aria-label="Priced anew" />{' '}
              {count(run.done)} of {plural(run.total, 'call')}
            </>
          ) : (
            <>
              {plural(run.done, 'call')} priced anew, ended <Time at={run.endedAt} />
            </>
          ))}
      </p>
      {mayWrite && (
        <button
          type="button"
          className="button"
          aria-disabled={isRunning}
          onClick={async () => {
            if (isRunning) return
            await start({}).catch(showToast)
            refresh()
          }}
        >
          Compute all costs anew
        </button>
      )}
    </section>
  )
}
