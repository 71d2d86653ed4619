import type { Transport } from '../transport/transport.js'
import { alertsApi } from './alerts/alerts.js'
import { attachmentsApi } from './attachments.js'
import { auditApi } from './audit/audit.js'
import { checked } from './calls/arguments.js'
import { checkedCall } from './calls/checked-call.js'
import { pricesApi } from './costs/prices.js'
import { datasetCopiesApi } from './datasets/copies.js'
import { datasetsApi } from './datasets/datasets.js'
import { datasetItemsApi } from './datasets/items.js'
import { experimentsApi } from './experiments.js'
import { generationsApi } from './generations.js'
import { judgesApi } from './judges.js'
import { leasesApi } from './leases.js'
import { metricsApi } from './metrics.js'
import { outlinesApi } from './outlines.js'
import { projectsApi } from './projects.js'
import { promptDefinitionsApi } from './prompts/definitions.js'
import { labelsApi } from './prompts/labels.js'
import { promptsApi } from './prompts/prompts.js'
import { splitsApi } from './prompts/splits.js'
import { retentionApi } from './retention/retention.js'
import { scoresApi } from './scores.js'
import { sessionsApi } from './sessions.js'
import { stepsApi } from './steps.js'
import { threadsApi } from './threads.js'
import { usersApi } from './users.js'
import { viewsApi } from './views/views.js'

/**
 * Every operation of the service, in both spellings. None of them needs its `this`. Each says its own errors. Besides, all
 * reject with a StepwellError of the code `UNAUTHENTICATED` (no key, or an unknown one), `FORBIDDEN` (the key lacks the
 * scope), `NETWORK`, `TIMEOUT`, `RATE_LIMITED`, `UNAVAILABLE` or `INTERNAL`, and with
 * `TOO_LARGE` when the answer is larger than 128 MB. A key of scope `admin` may do everything.
 */
// An interface that extends what the nouns return, as the compiler would flatten a spread and drop the docstrings with it.
export interface Api
  extends ReturnType<typeof projectsApi>,
    ReturnType<typeof stepsApi>,
    ReturnType<typeof outlinesApi>,
    ReturnType<typeof generationsApi>,
    ReturnType<typeof attachmentsApi>,
    ReturnType<typeof threadsApi>,
    ReturnType<typeof sessionsApi>,
    ReturnType<typeof usersApi>,
    ReturnType<typeof scoresApi>,
    ReturnType<typeof datasetsApi>,
    ReturnType<typeof datasetItemsApi>,
    ReturnType<typeof datasetCopiesApi>,
    ReturnType<typeof experimentsApi>,
    ReturnType<typeof leasesApi>,
    ReturnType<typeof judgesApi>,
    ReturnType<typeof promptDefinitionsApi>,
    ReturnType<typeof promptsApi>,
    ReturnType<typeof labelsApi>,
    ReturnType<typeof splitsApi>,
    ReturnType<typeof metricsApi>,
    ReturnType<typeof pricesApi>,
    ReturnType<typeof retentionApi>,
    ReturnType<typeof auditApi>,
    ReturnType<typeof viewsApi>,
    ReturnType<typeof alertsApi> {}

/** Creates the operations from a transport. */
export const createApi = (transport: Transport): Api =>
  withArgumentsChecked(apiOf({ ...transport, call: checkedCall(transport.call) }))

const apiOf = (transport: Transport): Api => ({
  ...projectsApi(transport),
  ...stepsApi(transport),
  ...outlinesApi(transport),
  ...generationsApi(transport),
  ...attachmentsApi(transport),
  ...threadsApi(transport),
  ...sessionsApi(transport),
  ...usersApi(transport),
  ...scoresApi(transport),
  ...datasetsApi(transport),
  ...datasetItemsApi(transport),
  ...datasetCopiesApi(transport),
  ...experimentsApi(transport),
  ...leasesApi(transport),
  ...judgesApi(transport),
  ...promptDefinitionsApi(transport),
  ...promptsApi(transport),
  ...labelsApi(transport),
  ...splitsApi(transport),
  ...metricsApi(transport),
  ...pricesApi(transport),
  ...retentionApi(transport),
  ...auditApi(transport),
  ...viewsApi(transport),
  ...alertsApi(transport),
})

/**
 * Makes operations check their arguments, where JavaScript or the service would report something that the caller cannot
 * see.
 */
const withArgumentsChecked = (api: Api): Api => {
  const methods = api as unknown as Record<string, Parameters<typeof checked>[1]>
  // Lists need no parameters, and have methods of their own.
  for (const [name, method] of Object.entries(methods))
    if (!('all' in method)) methods[name] = checked(name, method)
  return api
}
