// Substrings of twelve scripts, by the index of contents and by comparing each step.
import { expect, test } from 'vitest'
import {
  found,
  indexed,
  newIndexer,
  newProject,
  plainly,
  type Sent,
  send,
} from '../support/contents.js'
import { useDomain } from '../support/new-domain.js'

const made = useDomain()

/** Letters of twelve scripts, with those whose case changes their length or their form. */
const SCRIPTS = [
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZßẞİıſ',
  'αβγδεζηθικλμνξοπρσςτυφχψωΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΐΰ',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩ',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهوي',
  'אבגדהוזחטיךכלםמןנסעףפץצקרשת',
  'अआइईउऊऋएऐओऔकखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह',
  'กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
  '的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年',
  'あいうえおかきくけこさしすせそたちつてとアイウエオカキクケコ',
  '가나다라마바사아자차카타파하각낙닥락막박',
  'ԱԲԳԴԵԶԷԸԹԺաբգդեզէըթժև',
  '😀😁😂🤣😃👩‍💻👨‍👩‍👧‍👦🇩🇪🇫🇷',
].map((letters) => [...letters])
const MARKS = ['\u0301', '\u0308', '"', '\\', '\n', '\t', ' ', '.', '-', '0', '7', '\ud800', '\0']

let state = 4711
const random = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return (state >>> 8) % below
}
const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item
const word = (letters: readonly string[]): string =>
  Array.from({ length: 2 + random(7) }, () =>
    random(12) === 0 ? pick(MARKS) : pick(letters),
  ).join('')
const textOf = (letters: readonly string[], words: number): string =>
  Array.from({ length: words }, () => word(letters)).join(' ')

/** Puts a text where steps have texts. */
const stepWith = (id: string, text: string): Sent[number] =>
  pick<() => Sent[number]>([
    () => ({ id, type: 'run', name: text }),
    () => ({ id, type: 'run', error: text }),
    () => ({ id, type: 'run', input: { deep: [{ text }] } }),
    () => ({ id, type: 'run', output: { content: text } }),
    () => ({ id, type: 'llm', generation: { messages: [{ role: 'user', content: text }] } }),
    () => ({
      id,
      type: 'llm',
      generation: { messageCompletion: { role: 'assistant', content: text } },
    }),
    () => ({ id, type: 'llm', generation: { prompt: text, completion: 'none' } }),
    () => ({ id, type: 'llm', generation: { prompt: 'none', completion: text } }),
  ])()

/** More in a run at night. Fewer than fifty find a piece that is left out at its end, or in one script. */
const ROUNDS = Number(process.env.STEPWELL_SUBSTRINGS ?? 300)

test(`${ROUNDS} random substrings of twelve scripts are found, as by comparing each step`, async () => {
  const caller = await newProject(made)
  const { projectId } = caller
  const indexer = newIndexer(made.db)
  // The second time finds that all transactions note their changes.
  await indexer.work()
  await indexer.work()
  const texts = Array.from({ length: 240 }, () => textOf(pick(SCRIPTS), 3 + random(120)))
  for (let from = 0; from < texts.length; from += 200)
    await send(
      made,
      caller,
      texts.slice(from, from + 200).map((text, at) => stepWith(`s${from + at}`, text)),
    )
  await indexer.work()
  const { inBlocks, waiting } = await indexed(made.db, projectId)
  expect(inBlocks).toBeGreaterThan(100)
  expect(waiting).toBeGreaterThan(0)
  for (let round = 0; round < ROUNDS; round++) {
    const place = random(texts.length)
    const whole = [...(texts[place] as string)]
    const at = random(whole.length)
    const piece = whole.slice(at, at + 1 + random(14)).join('')
    const needle = pick([piece, piece.toUpperCase(), piece.toLowerCase()])
    const expected = await plainly(made.db, projectId, needle)
    if (needle === piece) expect(expected, JSON.stringify(needle)).toContain(`s${place}`)
    const ids = await found(made.db, projectId, needle)
    expect(ids.sort(), JSON.stringify(needle)).toEqual(expected)
  }
})
