// Proves that the simulator detects the faults that it is meant for: each mutation removes one mechanism of delivery,
// and schedules are run until an invariant breaks. `node test/simulation/mutations.js [NAME]`. A mutation that survives
// fails the run. Rare failures take many schedules to find: the seed that found each is kept in seeds.json, and tried
// first. `--search` tries all seeds again, and writes that file. `--texts` only looks whether the texts to replace are
// still in the code.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer } from 'vite'

const MAX_SCHEDULES = 100_000
const SEEDS = resolve('test/simulation/seeds.json')

/** The name of each mutation, its file in src/, the text to replace, and the replacement. */
const MUTATIONS = [
  [
    'flush waits for whatever is recorded meanwhile',
    'outbox/outbox.ts',
    'this.#backlog.isPending(order)',
    '!this.#backlog.isEmpty',
  ],
  [
    'send has no deadline',
    'outbox/outbox.ts',
    'left <= 0 || found === undefined || found.isStuck',
    'found === undefined || found.isStuck',
  ],
  [
    'send waits for whatever is there',
    'outbox/outbox.ts',
    'const found = this.#backlog.find(order)',
    'const found = this.#backlog.isEmpty ? undefined : { isStuck: false }',
  ],
  ['flush has no deadline', 'outbox/outbox.ts', 'if (left <= 0) return\n', ''],
  [
    'metadata of two changes is replaced, not laid over',
    'outbox/thread-changes.ts',
    'if (isLaid)',
    'if (false)',
  ],
  [
    'two changes of one thread go at once',
    'outbox/backlog.ts',
    'this.#leased.forEach(keepBusy)',
    '',
  ],
  [
    'changes of a thread do not wait for those that another process took over',
    'outbox/backlog.ts',
    'for (const id of this.#threadsElsewhere(this.#session)) busy.add(id)',
    '',
  ],
  [
    'what was left does not wait for what another process took over before',
    'outbox/backlog.ts',
    '!busy.has(record.id) && !elsewhere.has(record.id)',
    '!busy.has(record.id)',
  ],
  [
    'what is taken over late goes after what is here of later sessions',
    'outbox/backlog.ts',
    'index < 0 ? this.#waiting.length : index',
    'this.#waiting.length',
  ],
  [
    'the end of an earlier session is settled before its losses are told',
    'outbox/settlement.ts',
    '!this.#backlog.hasLossesOf(batch.session)',
    'true',
  ],
  ['a waiting change of a thread is overtaken', 'outbox/backlog.ts', '      keepBusy(batch)\n', ''],
  [
    'a thread that is UNAVAILABLE is given up',
    'outbox/batch-result.ts',
    'if (refusal !== undefined && isPassing(refusal)) {',
    'if (false) {',
  ],
  [
    'a step that is UNAVAILABLE is given up',
    'outbox/batch-result.ts',
    "code === 'UNAVAILABLE' || code === 'INTERNAL'",
    'false',
  ],
  [
    'merged changes of which one is refused are all lost',
    'outbox/batch-result.ts',
    'refusal !== undefined && thread.changes.length > 1',
    'false',
  ],
  [
    'a delivered step is counted twice',
    'outbox/settlement.ts',
    'this.account.delivered += stored.length',
    'this.account.delivered += 2 * stored.length',
  ],
  [
    'a dropped step is not counted',
    'outbox/account.ts',
    'this.#dropped.set(reason, before + 1)',
    '',
  ],
  [
    'two steps have one number',
    'outbox/intake.ts',
    'const sequence = ++this.sequence\n',
    'const sequence = Math.max(1, this.sequence++)\n',
  ],
  [
    'the end of the process is seen to from the first delivery on',
    'tracing/recording/recorder.ts',
    'this.#outbox.start()',
    '',
  ],
  [
    'open steps are forgotten at the end',
    'tracing/recording/recorder.ts',
    'for (const step of this.#open.takeAll())',
    'for (const step of [])',
  ],
  [
    'a signal ends the process with what came meanwhile',
    'outbox/exit/process-end.ts',
    'if (ending.isFinished() || leftMs <= 0) return\n      await ending.finish(leftMs)',
    'await ending.finish(leftMs); return',
  ],
  [
    'nothing is delivered at process.exit',
    'outbox/exit/process-end.ts',
    'if (leftMs > 0) ending.deliverNow(shareOf(leftMs, doOthersWait))',
    '',
  ],
  ['a failed batch is forgotten', 'outbox/sending/sender.ts', 'else backlog.putFirst(batch)', ''],
  [
    'no probe tells a batch from the service',
    'outbox/sending/suspicion.ts',
    'isSuspect(batch) || batch.failures >= FAILURES_BEFORE_PROBE',
    'false',
  ],
  [
    'a failing batch is dropped without a probe',
    'outbox/sending/answer.ts',
    'failed(said, false)\n  }',
    "{ kind: 'rejected', message: said }\n  }",
  ],
  [
    'a probe that fails counts as taken',
    'outbox/sending/sender.ts',
    "if (outcome.kind === 'delivered') this.#explain()",
    'if (true) this.#explain()',
  ],
  [
    'an end counts as told by a batch that was written before',
    'outbox/settlement.ts',
    '&& batch.toldEnd !== undefined)\n      this.isEndTold ||= batch.toldEnd === session.endedAt',
    ')\n      this.isEndTold ||= session.endedAt !== undefined',
  ],
  [
    'flush does not look into the spool first',
    'outbox/outbox.ts',
    'spool?.isFirstLook || this.#backlog.isPending(order)',
    'this.#backlog.isPending(order)',
  ],
  [
    'changes of threads overtake those of an earlier process',
    'outbox/outbox.ts',
    'backlog.holdThreads()',
    '',
  ],
  [
    'the folder of the spool is removed with what is in it',
    'outbox/outbox.ts',
    'spool?.close(isFinished, left)',
    'spool?.close(true, left)',
  ],
  [
    'the folder goes before the end is told',
    'outbox/outbox.ts',
    'spool?.close(isFinished, left)',
    'spool?.close(left.items.length + left.threads.length === 0, left)',
  ],
  [
    'steps are not in the spool',
    'outbox/spool/spool.ts',
    'const line = log.append(sequence, text)',
    'const line = { read: () => text }',
  ],
  [
    'changes of threads are not in the spool',
    'outbox/spool/spool.ts',
    'return this.#try((log) => log.appendThread(record))',
    'return undefined',
  ],
  [
    'a step is shrunk again and again',
    'outbox/batch.ts',
    'if (cut.includes(undefined)) return false\n',
    '',
  ],
  [
    'a status that reads as the service’s own blames nobody',
    'outbox/sending/sender.ts',
    'if (needsProbe(batch))',
    'if (!failure.isOfService && needsProbe(batch))',
  ],
  [
    'a step that is to come later is set aside',
    'outbox/sending/answer.ts',
    'isFinal: !PASSING.has(status) && !PASSING.has(code)',
    'isFinal: true',
  ],
  [
    'what is under way overtakes what a blocking flush sends',
    'tracing/tracer.ts',
    'outbox?.cutOff()\n',
    '',
  ],
  [
    'what is left over of full batches waits',
    'outbox/sending/sender.ts',
    'if (!this.#hasSoonTimer)',
    'else if (!this.#hasSoonTimer)',
  ],
  [
    'losses of a failed batch are never told',
    'outbox/settlement.ts',
    'if (this.isOwn(batch)) this.account.putBack(batch.losses.splice(0))\n',
    '',
  ],
  [
    'losses of an earlier session are lost in parts',
    'outbox/batch.ts',
    'newBatch(session, { ...second, losses, isEnd })',
    'newBatch(session, { ...second, isEnd })',
  ],
  ['lines never written are settled', 'outbox/spool/log.ts', 'if (!line.isLive) return\n', ''],
  [
    'half a line stays',
    'outbox/spool/log.ts',
    'this.#fs.ftruncateSync(segment.file, segment.bytes)\n',
    '',
  ],
  [
    'a line that could not be cut off spoils the next one',
    'outbox/spool/log.ts',
    'this.#hasBadEnd = true',
    '',
  ],
  [
    'a step that a full disk did not take is not given up at the end',
    'outbox/spool/spool.ts',
    'const lost = this.#withoutKept(undelivered)',
    'const lost = { items: [], threads: [] }',
  ],
  [
    'two processes adopt one folder',
    'outbox/spool/folders.ts',
    'return owner !== undefined && isAlive(owner, silentMs)',
    'return false',
  ],
  [
    'a folder that was adopted does not say so',
    'outbox/spool/leftovers.ts',
    'signAfter(fs, from, ownerOf(name), this.#owner, ownOwner())',
    '',
  ],
  [
    'an attachment that comes after its step is lost',
    'tracing/recording/recorder.ts',
    'if (isSet && !step.recording.isRecorded) return\n',
    'if (isSet) return\n',
  ],
  [
    'an attachment takes the place of those before',
    'tracing/recording/recorder.ts',
    '...(Array.isArray(attachments) ? attachments : []),',
    '',
  ],
  [
    'an attachment that comes late is nobody’s',
    'tracing/recording/serializer.ts',
    "id: labelOf(step.id) ?? '',\n      threadId: labelOf(step.threadId),\n      environment",
    "id: '',\n      threadId: labelOf(step.threadId),\n      environment",
  ],
  ['an upload is not recorded', 'api/attachments.ts', 'step?.attach(recorded)', ''],
  [
    'an upload has no deadline',
    'transport/upload.ts',
    'uploadTimeoutMs, abortAfter)',
    'Number.MAX_SAFE_INTEGER, abortAfter)',
  ],
  [
    'a call of the API has no deadline',
    'transport/http.ts',
    'abortAfter(timeoutMs)',
    'new AbortController().signal',
  ],
  [
    'an upload that was refused counts as stored',
    'transport/upload.ts',
    'return isOk(await fetchWithin(',
    'return Boolean(await fetchWithin(',
  ],
  [
    'an exit does not tell of losses when nothing else is left',
    'outbox/exit/deliver-all.ts',
    "(extent === 'flush' || !outbox.hasUntoldLosses)",
    'true',
  ],
  [
    'an upload that breaks off throws',
    'transport/upload.ts',
    'if (StepwellError.is(error)) return false\n',
    '',
  ],
]

const { values, positionals } = parseArgs({
  options: {
    search: { type: 'boolean', default: false },
    texts: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const [only] = positionals
if (values.texts) {
  const stale = MUTATIONS.filter(
    ([, file, from]) => !readFileSync(resolve('src', file), 'utf8').includes(from),
  )
  for (const [name, file] of stale)
    console.error(`the text that the mutation '${name}' replaces is not in src/${file}`)
  process.exit(stale.length === 0 ? 0 : 1)
}
const seeds = JSON.parse(readFileSync(SEEDS, 'utf8'))
const found = {}
let caught = 0
const survivors = []
/** The text that is replaced in a file of src/ at present. */
let mutation = { path: '', from: '', to: '', isApplied: false }
// One server for all of them: what a mutation does not change is not transformed again.
const server = await createServer({
  configFile: false,
  logLevel: 'error',
  server: { middlewareMode: true, watch: null, ws: false, hmr: false },
  optimizeDeps: { noDiscovery: true },
  plugins: [
    {
      name: 'mutation',
      enforce: 'pre',
      transform(code, id) {
        if (id !== mutation.path || !code.includes(mutation.from)) return undefined
        mutation.isApplied = true
        return code.replace(mutation.from, mutation.to)
      },
    },
  ],
  environments: { ssr: { resolve: { conditions: ['stepwell-source', 'node'] } } },
})
const { runner, moduleGraph } = server.environments.ssr

/** Loads the simulator with another mutation than before. */
const load = async (path, from, to) => {
  const changed = [mutation.path, path].flatMap((file) => [
    ...(moduleGraph.getModulesByFile(file) ?? []),
  ])
  mutation = { path, from, to, isApplied: false }
  for (const module of changed) moduleGraph.invalidateModule(module)
  runner.clearCache()
  return runner.import(resolve('test/simulation/first-failure.ts'))
}

for (const [name, file, from, to] of MUTATIONS) {
  if (only !== undefined && !name.includes(only)) continue
  const module = await load(resolve('src', file), from, to)
  const { isApplied } = mutation
  const caughtBy = isApplied
    ? await search(module, values.search ? undefined : seeds[name])
    : undefined
  if (caughtBy === undefined)
    survivors.push(isApplied ? name : `${name} (its text is not in ${file})`)
  else {
    caught++
    found[name] = caughtBy.seed
  }
  console.log(
    caughtBy === undefined
      ? `SURVIVED ${name}`
      : `caught by seed ${caughtBy.seed}: ${name}\n  ${caughtBy.failure.slice(0, 160)}`,
  )
}
await server.close()
console.log(`${caught} passed, ${survivors.length} failed`)
for (const name of survivors) console.log(`survived: ${name}`)
if (values.search) {
  const kept = only === undefined ? found : { ...seeds, ...found }
  writeFileSync(SEEDS, `${JSON.stringify(kept, undefined, 2)}\n`)
}
process.exitCode = survivors.length === 0 ? 0 : 1

/** Tries the seed that found it before, then all from the first on: changed code may need another one. */
async function search({ failureOfSeed, firstFailure }, known) {
  const failure = known === undefined ? undefined : await failureOfSeed(known)
  return failure === undefined ? await firstFailure(MAX_SCHEDULES) : { seed: known, failure }
}
