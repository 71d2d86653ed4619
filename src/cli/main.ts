import { StepwellError } from '../errors.js'
import { VERSION } from '../version.js'
import type { ServiceChecks } from './doctor/doctor.js'
import { nearest } from './options.js'
import { UsageError } from './usage.js'

const HELP = `Usage: stepwell COMMAND [options]

  serve                   run the service
  project, key            create, list and delete projects and their keys
  person list|sign-out    list the people who are signed in with the provider; sign one out
  audit list              list who did what in a project
  sign-in                 print a link that signs in to the web UI once
  export, import FILE     write a project to an archive; store it in any service
  export --to-otlp URL    send the steps of a project to another backend, as spans of OpenTelemetry
  import --from PRODUCT   copy the data of Literal AI, Langfuse or Phoenix into a project
  move                    move all data to another database, while the service runs
  backup, restore FILE    copy the data of an embedded service; make a folder of it
  migrate                 bring a PostgreSQL server up to date; distribute its tables
  doctor                  name what is broken between an application and its service, and how to mend it
  codegen                 generate typed documents from your own .graphql files
  contract pull|check     record the service's schema; list what a change of it would break
  prices                  list and set the prices of models; compute all costs anew
  prompts pull            write the project's prompts into a module, with the types of their variables
  prompts label NAME      list, move and remove the labels of a prompt
  dataset import FILE     add the rows of a CSV or JSONL file to a dataset
  download LIST           write a list as CSV, JSONL or Parquet, as filtered
  evaluate FILE           run the evaluations of a file, compare them, and pass or fail
  list NOUN 'QUERY'       list threads, steps, generations, scores or users that pass a query
  find, outline, read, diff, query, export LIST, score
                          what was recorded, within a number of tokens, for coding agents
  mcp                     the same as tools, by the Model Context Protocol
  test from THREAD        write a test of a recorded thread, which replays it offline
  replay THREAD -- COMMAND
                          run an application on a recorded thread again, live from a step on
  bisect -- COMMAND       find the commit, or the version of a prompt, with which a score changed
  judge worker FILE       judge steps of live traffic as they come
  spool send FOLDER       deliver the steps that clients left in a folder
  otel explain FILE       say what the service understands of a recorded OpenTelemetry request
  --version               print the version
  help, --help            print this help

stepwell help COMMAND, or stepwell COMMAND --help, says more. Where the service is and who asks: STEPWELL_API_URL and STEPWELL_API_KEY.
`

/**
 * Runs the command line of the package. Code that only operators need comes from packages that an app does not install.
 */
export const run = async (args: readonly string[]): Promise<number> => {
  const [command, ...rest] = withHelpAsOption(args)
  const isOfClient = isVerb(command, rest) || isFromElsewhere(rest) || isToElsewhere(rest)
  if (!STAYING.includes(command ?? '') || isOfClient) {
    process.stdout.off('error', leave)
    leave = (error) => process.exit(error.code === 'EPIPE' ? READER_IS_GONE : fail(error, command))
    process.stdout.on('error', leave)
  }
  try {
    return await dispatch(command, rest)
  } catch (error) {
    return fail(error, command)
  }
}

/** Exit code of a command whose reader is gone: that of the signal which ends others then. */
const READER_IS_GONE = 141

/**
 * Ends when the output can't be written: quietly when a reader such as `head` has enough, with the reason when a disk is
 * full. Not with 0: nobody has seen how the command ended.
 */
let leave: (error: NodeJS.ErrnoException) => void = () => undefined

/** Returns true for an export of rows, which names a list first. Otherwise an export is of a project. */
const isVerb = (command: string | undefined, [first]: readonly string[]): boolean =>
  command === 'export' && first !== undefined && !first.startsWith('-')

/** Returns true for an import of the data of another product, which is a client of the service. */
const isFromElsewhere = (args: readonly string[]): boolean =>
  args.some((arg) => arg === '--from' || arg.startsWith('--from='))

/** Returns true for an export to another backend, which reads as a client of the service. */
const isToElsewhere = (args: readonly string[]): boolean =>
  args.some((arg) => arg === '--to-otlp' || arg.startsWith('--to-otlp='))

/** Treats `help`, `help COMMAND` and `COMMAND help` like `--help`. */
const withHelpAsOption = (args: readonly string[]): readonly string[] => {
  const [first, second, ...others] = args
  if (first === 'help') return second === undefined ? ['--help'] : [second, '--help']
  return first !== undefined && second === 'help' && others.length === 0 ? [first, '--help'] : args
}

/** Reads the modules of a command alone: all of them take longer than most commands. */
const dispatch = async (command: string | undefined, rest: readonly string[]): Promise<number> => {
  switch (command) {
    case 'serve':
      return onServer(({ serve }) => serve(rest))
    case 'project':
    case 'key':
    case 'person':
    case 'audit':
      return onServer(({ operate }) => operate(command, rest))
    case 'sign-in':
      return onServer(({ signIn }) => signIn(rest))
    case 'migrate':
      return onServer(({ migrate }) => migrate(rest))
    case 'export':
      if (isToElsewhere(rest)) return (await import('./exporting/to-otlp.js')).exportToOtlp(rest)
      return isVerb(command, rest)
        ? (await import('./agents/verbs.js')).runVerb(command, rest)
        : onServer(({ exportProject }) => exportProject(rest))
    case 'import':
      return isFromElsewhere(rest)
        ? (await import('./importing/import-from.js')).importFrom(rest)
        : onServer(({ importProject }) => importProject(rest))
    case 'backup':
      return onServer(({ backup }) => backup(rest))
    case 'restore':
      return onServer(({ restore }) => restore(rest))
    case 'move':
      return onServer(({ move }) => move(rest))
    case 'otel':
      return onServer(({ otel }) => otel(rest))
    case 'codegen':
      return (await import('./codegen.js')).codegen(rest)
    case 'contract':
      return (await import('./contract.js')).contract(rest)
    case 'prices':
      return (await import('./prices.js')).prices(rest)
    case 'prompts':
      return (await import('./prompts.js')).prompts(rest)
    case 'dataset':
      return (await import('./dataset.js')).dataset(rest)
    case 'doctor':
      return (await import('./doctor/doctor.js')).doctor(rest, (work) =>
        onServer(({ serviceChecks }) => work(serviceChecks)),
      )
    case 'download':
      return (await import('./download.js')).download(rest)
    case 'evaluate':
      return (await import('./evaluate.js')).evaluateFile(rest)
    case 'list':
      return (await import('./list.js')).listItems(rest)
    case 'find':
    case 'outline':
    case 'read':
    case 'diff':
    case 'query':
    case 'score':
      return (await import('./agents/verbs.js')).runVerb(command, rest)
    case 'mcp':
      return (await import('./agents/mcp.js')).mcp(rest)
    case 'test':
      return (await import('./tests/test.js')).test(rest)
    case 'replay':
      return (await import('./replay/replay.js')).replay(rest)
    case 'bisect':
      return (await import('./bisect/bisect.js')).bisect(rest)
    case 'judge':
      return (await import('./judge.js')).judge(rest)
    case 'spool':
      return (await import('./spool.js')).spool(rest)
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
      process.stderr.write(`stepwell: ${noCommand(command)}. Usage: stepwell --help\n`)
      return 2
  }
}

/** Commands of operators that finish their work without a reader, or report that it is gone. */
const STAYING = ['serve', 'migrate', 'export', 'import', 'backup', 'restore', 'move']
const COMMANDS = [
  ...STAYING,
  ...['project', 'key', 'person', 'audit', 'sign-in', 'otel'],
  ...[
    'bisect',
    'codegen',
    'contract',
    'dataset',
    'diff',
    'doctor',
    'download',
    'evaluate',
    'find',
    'judge',
    'list',
    'mcp',
    'outline',
    'prices',
    'prompts',
    'query',
    'read',
    'replay',
    'score',
    'spool',
    'test',
    'help',
  ],
]

const noCommand = (given: string): string => {
  const near = nearest(given, COMMANDS)
  return `there is no command ${JSON.stringify(given)}${near === undefined ? '' : ` (did you mean ${near}?)`}`
}

/** Reports a failed command in one line, which says where to look when the command was invalid. */
const fail = (error: unknown, command = ''): number => {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  const isUnread = code?.startsWith('ERR_PARSE_ARGS') === true
  // A bug of this program: its stack is needed.
  if (!StepwellError.is(error) && !isUnread && syscall === undefined) throw error
  const isUsage = isUnread || error instanceof UsageError
  // Node adds advice about positional arguments, which does not apply here.
  const reason = isUnread ? (message.split('. ', 1)[0] ?? '') : message
  const usage = `Usage: stepwell ${command} --help`
  // A list ends with a line of its own.
  const end = reason.includes('\n') ? `\n${usage}` : `. ${usage}`
  process.stderr.write(`stepwell: ${isUsage ? `${reason.replace(/\.$/, '')}${end}` : reason}\n`)
  return TELLING.includes(command) ? 3 : 2
}

/** Commands that end with 2 when something can't be told: a misspelt option must not look like that to a gate. */
const TELLING = ['evaluate', 'judge']

interface ServerPackage {
  serve: (args: readonly string[]) => Promise<number>
  operate: (
    noun: 'project' | 'key' | 'person' | 'audit',
    args: readonly string[],
  ) => Promise<number>
  signIn: (args: readonly string[]) => Promise<number>
  migrate: (args: readonly string[]) => Promise<number>
  otel: (args: readonly string[]) => Promise<number>
  exportProject: (args: readonly string[]) => Promise<number>
  importProject: (args: readonly string[]) => Promise<number>
  backup: (args: readonly string[]) => Promise<number>
  restore: (args: readonly string[]) => Promise<number>
  move: (args: readonly string[]) => Promise<number>
  serviceChecks: ServiceChecks
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
      'stepwell: the service is a separate package; install it with: npm install @stepwell/server\n',
    )
    return 1
  }
  return work(server)
}
