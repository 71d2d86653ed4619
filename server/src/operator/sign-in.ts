import { readOptions } from '../kernel/options.js'
import { readLocation } from '../settings.js'
import { findAdminEndpoint } from './admin-endpoint.js'
import type { Command } from './commands.js'
import { fail } from './failure.js'
import { demandOwner } from './folder-user.js'
import { callRunningService } from './operate.js'

const HELP = `Usage: stepwell sign-in [--project P] [--data FOLDER]

Prints a link that signs in to the web UI of a running service, once and within an hour.

  --project P     the id or name of a project; may be omitted when there is only one
  --data FOLDER   the same as of stepwell serve
  --config FILE   the same
`

/** Runs `stepwell sign-in`. Returns the exit code. */
export const signIn = async (args: readonly string[]): Promise<number> => {
  try {
    const { values } = readOptions({
      args: [...args],
      options: {
        project: { type: 'string' },
        config: { type: 'string' },
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    const { dataFolder } = readLocation(values, process.env)
    const { project } = values
    const endpoint = await findAdminEndpoint(dataFolder)
    // Only the serving process can create a link, as only it has the valid ones.
    const command = { noun: 'sign-in', verb: 'link', subject: endpoint?.url, options: { project } }
    const outcome =
      endpoint && (await callRunningService(endpoint.url, endpoint.token, command as Command))
    if (outcome === undefined) {
      // Another user cannot read where the service is.
      await demandOwner(dataFolder)
      throw new Error(
        `no service runs with the data folder ${dataFolder}; --data names another one`,
      )
    }
    for (const { link } of outcome.rows) process.stdout.write(`${link}\n`)
    return 0
  } catch (error) {
    return fail(error, 'sign-in')
  }
}
