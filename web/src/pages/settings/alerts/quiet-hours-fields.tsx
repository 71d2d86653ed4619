import type { Alert } from './words.js'

export type QuietHours = NonNullable<Alert['quietHours']>
type Period = QuietHours['periods'][number]

const DAYS: readonly (readonly [day: Period['days'][number], name: string])[] = [
  ['MONDAY', 'Mon'],
  ['TUESDAY', 'Tue'],
  ['WEDNESDAY', 'Wed'],
  ['THURSDAY', 'Thu'],
  ['FRIDAY', 'Fri'],
  ['SATURDAY', 'Sat'],
  ['SUNDAY', 'Sun'],
]

const NIGHT: Period = { days: DAYS.map(([day]) => day), from: '22:00', to: '07:00' }

/** Returns quiet hours for a start: the nights of the viewer. */
export const newQuietHours = (): QuietHours => ({
  timeZone: Intl.DateTimeFormat('en').resolvedOptions().timeZone,
  periods: [NIGHT],
})

/** The periods in which an alert calls nobody. */
export const QuietHoursFields = ({
  value,
  onChange,
}: {
  value: QuietHours
  onChange: (value: QuietHours) => void
}) => {
  const change = (index: number, changes: Partial<Period>) =>
    onChange({
      ...value,
      periods: value.periods.map((one, place) => (place === index ? { ...one, ...changes } : one)),
    })
  return (
    <fieldset className="column">
      <legend>Quiet hours</legend>
      <label>
        Time zone{' '}
        <input
          className="field"
          required
          value={value.timeZone}
          onChange={(event) => onChange({ ...value, timeZone: event.target.value })}
        />
      </label>
      {value.periods.map((period, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: periods have no identity, and keep their places
        <div key={index} className="column">
          <div className="row wrap">
            {DAYS.map(([day, name]) => (
              <label key={day} className="row">
                <input
                  type="checkbox"
                  checked={period.days.includes(day)}
                  onChange={() =>
                    change(index, {
                      days: DAYS.map(([one]) => one).filter(
                        (one) => period.days.includes(one) !== (one === day),
                      ),
                    })
                  }
                />
                {name}
              </label>
            ))}
          </div>
          <div className="row">
            <label>
              from{' '}
              <input
                className="field"
                required
                size={5}
                pattern="[0-2][0-9]:[0-5][0-9]"
                value={period.from}
                onChange={(event) => change(index, { from: event.target.value })}
              />
            </label>
            <label>
              to{' '}
              <input
                className="field"
                required
                size={5}
                pattern="[0-2][0-9]:[0-5][0-9]"
                value={period.to}
                onChange={(event) => change(index, { to: event.target.value })}
              />
            </label>
            {value.periods.length > 1 && (
              <button
                type="button"
                className="button small"
                onClick={() =>
                  onChange({ ...value, periods: value.periods.filter((one) => one !== period) })
                }
              >
                Remove
              </button>
            )}
          </div>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button small"
          onClick={() => onChange({ ...value, periods: [...value.periods, NIGHT] })}
        >
          Add a period
        </button>
      </div>
    </fieldset>
  )
}
