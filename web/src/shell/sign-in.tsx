import { type FormEvent, useState } from 'react'
import { signIn } from '../data/session.js'
import { Field } from '../ui/field.js'

export const SignInPage = ({
  onDone,
  reason,
}: {
  onDone: () => void
  reason?: string | undefined
}) => {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      await signIn({ apiKey: key.trim() })
      onDone()
    } catch (error) {
      setProblem((error as Error).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="sign-in">
      <form className="column panel" onSubmit={submit}>
        <h1>Sign in to Stepwell</h1>
        {reason !== undefined && <p className="notice">{reason}</p>}
        <Field label="API key of the project" error={problem}>
          {(control) => (
            <input
              {...control}
              className="field mono"
              type="password"
              autoComplete="current-password"
              required
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <div>
          <button type="submit" className="button primary" disabled={isBusy}>
            Sign in
          </button>
        </div>
        <p className="quiet">
          The key is checked and not kept: a cookie that scripts can't read lets you in for 30 days.
          The first key is in the file <code>api-key</code> of the data folder;{' '}
          <code>stepwell key create</code> creates more.
        </p>
        <p className="quiet">
          On the machine of the service no key is needed: the service prints a link at its start
          that signs in once, and <code>npx stepwell sign-in</code> prints a new one.
        </p>
        <p className="quiet">
          <a href="/docs">Documentation</a>
        </p>
      </form>
    </main>
  )
}
