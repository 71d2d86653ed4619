import { type FormEvent, useEffect, useRef, useState } from 'react'
import { segment } from '../address/segment.js'
import type { OpenProject } from '../data/known-sessions.js'
import { type SignInProvider, signIn } from '../data/session.js'
import { at } from '../format/base.js'
import { Field } from '../ui/field.js'
import { ProjectList } from './project-list.js'

export const SignInPage = ({
  onDone,
  reason,
  provider,
  next,
  sessions,
}: {
  /** Gets the id of the project. */
  onDone: (projectId: string) => Promise<void>
  reason?: string | undefined
  /** Null if people sign in by a key or a link alone. */
  provider: SignInProvider | null
  /** The page to go on with, a path of this service. */
  next: string
  /** The projects that are open already. */
  sessions: readonly OpenProject[]
}) => {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    document.title = 'Sign in · Stepwell'
    if (provider === null) field.current?.focus()
    else button.current?.focus()
  }, [provider])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(undefined)
    try {
      await onDone(await signIn({ apiKey: key.trim() }))
    } catch (error) {
      setProblem((error as Error).message)
      // Typing replaces the wrong key.
      field.current?.focus()
      field.current?.select()
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="sign-in">
      <form className="column panel" onSubmit={submit}>
        <h1>{sessions.length === 0 ? 'Sign in to Stepwell' : 'Sign in to another project'}</h1>
        {reason !== undefined && (
          <p className="notice" role="alert">
            {reason}
          </p>
        )}
        {provider !== null && (
          <>
            {/* Not a form: the policy of the page lets forms lead to this service alone. */}
            <div>
              <a
                ref={button}
                className="button primary"
                href={at(`/api/sign-in/oidc?next=${segment(next)}`)}
              >
                <span className="clip">
                  Sign in with <bdi>{provider.name}</bdi>
                </span>
              </a>
            </div>
            <p className="quiet">or</p>
          </>
        )}
        <Field label="API key of the project" error={problem}>
          {(control) => (
            <input
              {...control}
              ref={field}
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
          <button
            type="submit"
            className={provider === null ? 'button primary' : 'button'}
            disabled={isBusy}
          >
            {provider === null ? 'Sign in' : 'Sign in with the key'}
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
        {sessions.length > 0 && (
          <>
            <h2>Your projects</h2>
            <ProjectList sessions={sessions} />
          </>
        )}
        <p className="quiet">
          <a href={at('/docs')}>Documentation</a>
        </p>
      </form>
    </main>
  )
}
