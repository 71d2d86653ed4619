import { ownPath } from '../format/base.js'

/** The reasons for which the service leads back from the provider, in words. */
const REASONS: Readonly<Record<string, string>> = {
  away: 'The provider does not answer. Try again in a moment; a key works meanwhile.',
  denied: 'The provider did not let you in, or you declined.',
  lost: 'This sign-in was not begun in this browser, took too long, or was used already. Sign in again.',
  clock:
    'The clocks of the provider and of the service differ by more than a minute. Tell the operator of the service.',
  invalid:
    'The answer of the provider was not valid. Sign in again; the log of the service has the reason.',
  setup:
    'The service is not set up for this provider as it should be. Tell its operator: stepwell doctor finds the reason.',
  'no-role':
    'You are known to the provider, but have no role here. Ask the operator of the service for one.',
  'groups-left-out':
    'You are in more groups than the provider tells. Its setup has to send only those of this service.',
}

/** Takes the reason of a failed sign-in out of the address, so that it is not shown again; undefined when there is none. */
export const takeRefusal = (): string | undefined => {
  const address = new URL(window.location.href)
  const problem = address.searchParams.get('problem')
  if (ownPath(address.pathname) !== '/sign-in' || problem === null) return undefined
  address.searchParams.delete('problem')
  window.history.replaceState(window.history.state, '', address)
  return Object.hasOwn(REASONS, problem) ? REASONS[problem] : REASONS.invalid
}
