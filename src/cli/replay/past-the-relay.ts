import { pathOf } from '../../model-calls/recognise.js'
import type { Plan } from './plan.js'

/** A header that every client of the package sends. */
export const CLIENT_HEADER = 'x-client-name'

/**
 * Returns the fault of a request to a service that does not go by the relay, where ids are not replaced, so that it could write to
 * the record. Undefined for any other request.
 */
export const faultOfService = (
  { relay, service }: Pick<Plan, 'relay' | 'service'>,
  url: string,
  client: unknown,
): string | undefined => {
  if (relay !== undefined && url.startsWith(`${relay}/`)) return undefined
  const isOfService = [`${service}/api/graphql`, `${service}/v1/`].some((one) =>
    url.startsWith(one),
  )
  return isOfService || client !== undefined
    ? `the request to ${pathOf(url)} could write to the record: name the service by STEPWELL_API_URL alone, and not in code`
    : undefined
}
