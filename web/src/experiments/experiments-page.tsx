import { Top } from '../shell/shell.js'
import { ExperimentTable } from './experiment-table.js'

export const ExperimentsPage = () => (
  <>
    <Top title="Experiments" />
    <div className="page">
      <ExperimentTable />
    </div>
  </>
)
