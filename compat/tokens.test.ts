import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Tokenizer } from 'ai-tokenizer'
import * as claude from 'ai-tokenizer/encoding/claude'
import fc from 'fast-check'
import { countTokens as inCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as inO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { maxTokens } from '../src/agents/index.js'

// The upper bound of tokens, which has no vocabulary, against the vocabularies.
const ofClaude = new Tokenizer(claude)
const plain = { disallowedSpecial: new Set<string>() }
const realTokens = (text: string): number =>
  Math.max(inO200k(text, plain), inCl100k(text, plain), ofClaude.encode(text, 'all').length)

const root = join(import.meta.dirname, '..')
const SENTENCES = [
  'Заказ был отправлен вчера вечером, и мы ждём его сегодня. ',
  '注文は昨日の夕方に発送されました。今日届く予定です。',
  '订单已于昨天晚上发货，预计今天到达。',
  '주문은 어제 저녁에 발송되었으며 오늘 도착할 예정입니다. ',
  'تم شحن الطلب مساء أمس ومن المتوقع وصوله اليوم. ',
  'ऑर्डर कल शाम को भेजा गया था और आज पहुंचने की उम्मीद है। ',
  'คำสั่งซื้อถูกจัดส่งเมื่อเย็นวานนี้ ',
  'ההזמנה נשלחה אתמול בערב. ',
  'Die Bestellung wurde gestern Abend verschickt und wird heute erwartet. ',
  'Η παραγγελία στάλθηκε χθες το βράδυ. ',
  '👩‍👩‍👧‍👦🎉🔥❤️',
]

test.each([
  'README.md',
  'package-lock.json',
  'docs/guides/recording.md',
  'generated/operations.ts',
  'server/src/http/app.ts',
  'compat/python/test_chat.py',
])('has at least as many tokens as %s', async (file) => {
  const text = await readFile(join(root, file), 'utf8')
  for (let from = 0; from < Math.min(text.length, 200_000); from += 4000) {
    const part = text.slice(from, from + 4000)
    expect(maxTokens(part), part.slice(0, 100)).toBeGreaterThanOrEqual(realTokens(part))
  }
})

test.each(SENTENCES)('has at least as many tokens as %s', (sentence) => {
  expect(maxTokens(sentence)).toBeGreaterThanOrEqual(realTokens(sentence))
  expect(maxTokens(sentence.repeat(50))).toBeGreaterThanOrEqual(realTokens(sentence.repeat(50)))
})

const long = (characters: string) =>
  fc
    .array(fc.nat(characters.length - 1), { minLength: 1000, maxLength: 1000 })
    .map((places) => places.map((place) => characters[place]).join(''))
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const SIGNS = '!"#$%&()*+,-./:;<=>?@[]^_{|}~`'

test.each([
  LETTERS,
  LETTERS.toUpperCase(),
  `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}+/`,
  `${DIGITS}abcdef`,
  DIGITS,
  SIGNS,
  ` \n\t`,
  ` ${LETTERS}${LETTERS.toUpperCase()}${DIGITS}${SIGNS}`,
])('has at least as many tokens as random texts of %j', (characters) => {
  fc.assert(
    fc.property(long(characters), (text) => {
      expect(maxTokens(text)).toBeGreaterThanOrEqual(realTokens(text))
    }),
    { numRuns: 20 },
  )
})

test('is not above twice the tokens of English and JSON', async () => {
  const text = await readFile(join(root, 'docs/guides/recording.md'), 'utf8')
  expect(maxTokens(text)).toBeLessThan(2 * realTokens(text))
})
