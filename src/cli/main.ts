import { StepwellError } from '../errors.js'
import { VERSION } from '../version.js'
import { codegen } from './codegen.js'
import { contract } from './contract.js'
import { prompts } from './prompts.js'
import { spool } from './spool.js'

const HELP = `Usage: stepwell COMMAND [options]

  serve                   run the service
  project, key            make, list and delete projects and their keys
  sign-in                 print a link that signs in to the web UI once
  migrate                 bring a PostgreSQL server up to date; distribute its tables
  codegen                 make typed documents of your own .graphql files
  contract pull|check     record the service's schema; say what a change of it would break
  prompts pull            write the project's prompts into a module, with the types of their variables
  spool send FOLDER       deliver what clients left in a folder
  --version               print the version
  --help                  show this

stepwell COMMAND --help says more. Where the service is and who asks: STEPWELL_API_URL and STEPWELL_API_KEY.
`

/** The command line of the package. What only operators need comes from packages that an app does without. */
export const run = async ([command, ...rest]: readonly string[]): Promise<number> => {
  switch (command) {
    case 'serve':
      return onServer(({ serve }) => serve(rest))
    case 'project':
    case 'key':
      return onServer(({ operate }) => operate(command, rest))
    case 'sign-in':
      return onServer(({ signIn }) => signIn(rest))
    case 'migrate':
      return onServer(({ migrate }) => migrate(rest))
    case 'codegen':
      return said(() => codegen(rest))
    case 'contract':
      return said(() => contract(rest))
    case 'prompts':
      return said(() => prompts(rest))
    case 'spool':
      return said(() => spool(rest))
    case '--version':
    case '-v':
      process.stdout.write(`${VERSION}\n`)
      return 0
    case '--help':
    case '-h':
    case undefined:
      process.stdout.write(HELP)
      return 0
    default:
      process.stderr.write(`stepwell: there is no command ${JSON.stringify(command)}\n\n${HELP}`)
      return 2
  }
}

/** What people can mend is said in a line, without a stack. */
const said = async (work: () => Promise<number>): Promise<number> => {
  try {
    return await work()
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    const isTheirs = StepwellError.is(error) || code?.startsWith('ERR_PARSE_ARGS') || syscall
    if (!isTheirs) throw error
    process.stderr.write(`stepwell: ${(error as Error).message}\n`)
    return 2
  }
}

interface ServerPackage {
  serve: (args: readonly string[]) => Promise<number>
  operate: (noun: 'project' | 'key', args: readonly string[]) => Promise<number>
  signIn: (args: readonly string[]) => Promise<number>
  migrate: (args: readonly string[]) => Promise<number>
}

const onServer = async (work: (server: ServerPackage) => Promise<number>): Promise<number> => {
  // Not a literal, so that neither compilers nor bundlers of the SDK look for it.
  const name: string = '@stepwell/server'
  let server: ServerPackage
  try {
    server = (await import(name)) as ServerPackage
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error
    process.stderr.write(
      'stepwell: the service is a package of its own; install it with: npm install @stepwell/server\n',
    )
    return 1
  }
  return work(server)
}
