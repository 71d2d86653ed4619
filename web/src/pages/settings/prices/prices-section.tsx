import { PricesSectionDocument } from '../../../../generated/operations.js'
import { useMayWrite } from '../../../data/project.js'
import { useData } from '../../../data/use-data.js'
import { ProblemView } from '../../../ui/problem-view.js'
import { Book } from './book.js'
import { PriceForm } from './price-form.js'
import { PriceTable } from './price-table.js'
import { Repricing } from './repricing.js'

/** The prices of the project, those of the book, and the way to apply them to stored calls. */
export const PricesSection = () => {
  const { data, problem, refresh } = useData(PricesSectionDocument, {})
  const mayWrite = useMayWrite()
  return (
    <div className="column" style={{ maxWidth: 960, gap: 12 }}>
      <p className="soft">
        Costs of model calls in dollars. A cost that the application sends comes first, then a price
        of the project, then the price book. Parts without a price are in no cost, and are shown.
      </p>
      {problem !== undefined && <ProblemView problem={problem} retry={refresh} />}
      {data?.priceBook.isOld && (
        <p role="status" className="problem">
          The price book is of {data.priceBook.asOf}, {data.priceBook.ageDays} days ago. Prices have
          probably changed since: set those that did, or update the service.
        </p>
      )}
      {data !== undefined && (
        <>
          <h2>Prices of the project</h2>
          {data.prices.length === 0 ? (
            <p className="soft">None: all calls have the prices of the book.</p>
          ) : (
            <PriceTable label="Prices of the project" prices={data.prices} onDone={refresh} />
          )}
          {mayWrite && <PriceForm onDone={refresh} />}
          <Repricing last={data.repricing} />
          <Book book={data.priceBook} />
        </>
      )}
    </div>
  )
}
