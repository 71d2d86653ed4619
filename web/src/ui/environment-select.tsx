/** The environments, as the contract names them. */
export const ENVIRONMENTS = ['dev', 'staging', 'prod', 'experiment'] as const

export const EnvironmentSelect = ({
  value,
  onChange,
  className = '',
  hidesExperiments = false,
  emptyTitle = hidesExperiments ? 'env: no experiments' : 'env: all',
}: {
  /** Empty for all environments, unless experiments are hidden. */
  value: string
  onChange: (value: string) => void
  className?: string
  /** True makes the empty value mean all environments but that of experiments, and `all` the rest, too. */
  hidesExperiments?: boolean
  /** The title of the empty value. */
  emptyTitle?: string
}) => (
  <select
    className={`field ${className}`}
    aria-label="Environment"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  >
    <option value="">{emptyTitle}</option>
    {emptyTitle !== 'env: all' && <option value="all">env: all</option>}
    {ENVIRONMENTS.map((name) => (
      <option key={name} value={name}>
        env: {name}
      </option>
    ))}
  </select>
)
