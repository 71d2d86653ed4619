/** The environments, as the contract names them. */
const ENVIRONMENTS = ['dev', 'staging', 'prod', 'experiment'] as const

export const EnvironmentSelect = ({
  value,
  onChange,
  className = '',
}: {
  /** Empty for all environments. */
  value: string
  onChange: (value: string) => void
  className?: string
}) => (
  <select
    className={`field ${className}`}
    aria-label="Environment"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  >
    <option value="">env: all</option>
    {ENVIRONMENTS.map((name) => (
      <option key={name} value={name}>
        env: {name}
      </option>
    ))}
  </select>
)
