import { ExperimentTable } from '../../parts/experiment-table.js'
import { Top } from '../../ui/top.js'

export const ExperimentsPage = () => (
  <>
    <Top title="Experiments" />
    <div className="page">
      <ExperimentTable />
    </div>
  </>
)
