import { useState } from 'react'
import {
  preference,
  setPreference,
  setTheme,
  type Theme,
  theme,
} from '../../browser/preferences.js'
import { useSingleFlight } from '../../browser/use-single-flight.js'
import { useProject, useSessions } from '../../data/project.js'
import { signOut } from '../../data/session.js'
import { reviewer, setReviewer } from '../../scoring/reviewer.js'
import { Field } from '../../ui/field.js'
import { useToast } from '../../ui/toasts.js'

/** Preferences of this browser. */
export const AppearanceSection = () => {
  const [, redraw] = useState(0)
  const showToast = useToast()
  const project = useProject()
  const sessions = useSessions()
  const person = sessions.find(({ projectId }) => projectId === project.id)?.person
  const changed = (change: () => void) => {
    change()
    redraw((count) => count + 1)
  }
  const leave = useSingleFlight(() => signOut(project.id).catch(showToast))
  return (
    <div className="column" style={{ maxWidth: 420, gap: 12 }}>
      <Field label="Theme">
        {(control) => (
          <select
            {...control}
            value={theme()}
            onChange={(event) => changed(() => setTheme(event.target.value as Theme))}
          >
            <option value="system">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        )}
      </Field>
      <Field label="Rows of tables">
        {(control) => (
          <select
            {...control}
            value={preference('density') ?? 'normal'}
            onChange={(event) => changed(() => setPreference('density', event.target.value))}
          >
            <option value="normal">normal</option>
            <option value="dense">dense</option>
          </select>
        )}
      </Field>
      <Field label="Times">
        {(control) => (
          <select
            {...control}
            value={preference('zone') ?? 'local'}
            onChange={(event) => changed(() => setPreference('zone', event.target.value))}
          >
            <option value="local">in my zone</option>
            <option value="utc">in UTC</option>
          </select>
        )}
      </Field>
      <Field label="Single keys, such as j and k">
        {(control) => (
          <select
            {...control}
            value={preference('keys') ?? 'on'}
            onChange={(event) => changed(() => setPreference('keys', event.target.value))}
          >
            <option value="on">on</option>
            <option value="off">off</option>
          </select>
        )}
      </Field>
      <Field label="Your name, stored with your scores">
        {(control) => (
          <input
            {...control}
            defaultValue={reviewer()}
            onBlur={(event) => setReviewer(event.target.value)}
          />
        )}
      </Field>
      <div>
        <button type="button" className="button" onClick={leave}>
          {person !== undefined ? (
            <>
              Sign out <bdi>{person}</bdi>
            </>
          ) : sessions.length > 1 ? (
            <>
              Sign out of <bdi>{project.name}</bdi>
            </>
          ) : (
            'Sign out'
          )}
        </button>
      </div>
    </div>
  )
}
