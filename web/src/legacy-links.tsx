import { Redirect, useLocation, useSearch } from 'wouter'
import { segment } from './address/segment.js'

/** Links that released clients make. */
export const LegacyThread = () => {
  const [location] = useLocation()
  const parameters = new URLSearchParams(useSearch())
  const step = parameters.get('currentStepId')
  const id = location.split('/').at(-1)
  return <Redirect to={`/threads/${id}${step ? `?step=${segment(step)}` : ''}`} replace />
}

export const LegacyPrompt = () => {
  const parameters = new URLSearchParams(useSearch())
  const name = parameters.get('name')
  if (name === null) return <Redirect to="/prompts" replace />
  const version = parameters.get('version')
  return (
    <Redirect
      to={`/prompts/${segment(name)}${version === null ? '' : `?v=${segment(version)}`}`}
      replace
    />
  )
}
