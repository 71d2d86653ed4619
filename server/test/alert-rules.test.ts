import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AlertProgress, decide, stateOf } from '../src/domain/alerts/decide.js'
import { bodyOf, pageOf, type Told } from '../src/domain/alerts/message.js'
import { checkQuietHours, isQuiet } from '../src/domain/alerts/quiet-hours.js'
import { newSecret, signedHeaders } from '../src/domain/alerts/signature.js'

const NIGHTS = checkQuietHours({
  timeZone: 'Europe/Berlin',
  periods: [
    { days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY'], from: '22:00', to: '07:00' },
    { days: ['SATURDAY', 'SUNDAY'], from: '00:00', to: '24:00' },
  ],
})

describe('quiet hours', () => {
  test.each([
    ['2026-11-23T20:59:59Z', false, 'Monday, 21:59 in Berlin'],
    ['2026-11-23T21:00:00Z', true, 'Monday, 22:00'],
    ['2026-11-24T05:59:59Z', true, 'Tuesday, 06:59'],
    ['2026-11-24T06:00:00Z', false, 'Tuesday, 07:00'],
    ['2026-11-27T05:30:00Z', true, 'Friday, 06:30, after the night of Thursday'],
    ['2026-11-27T21:30:00Z', false, 'Friday, 22:30, which is no day of the period'],
    ['2026-11-27T23:00:00Z', true, 'Saturday, 00:00'],
    ['2026-11-29T22:59:59Z', true, 'Sunday, 23:59'],
    ['2026-11-29T23:00:00Z', false, 'Monday, 00:00: the night of Sunday is none'],
  ])('at %s: %s (%s)', (now, expected) => {
    expect(isQuiet(NIGHTS, now)).toBe(expected)
  })

  test.each([
    // 02:00 becomes 03:00 on 29 March 2026, and 03:00 becomes 02:00 on 25 October.
    ['02:30', '03:30', '2026-03-29T00:59:00Z', false],
    ['02:30', '03:30', '2026-03-29T01:00:00Z', true],
    ['02:30', '03:30', '2026-03-29T01:30:00Z', false],
    ['02:00', '03:00', '2026-03-29T01:00:00Z', false],
    ['02:00', '03:00', '2026-10-25T00:00:00Z', true],
    ['02:00', '03:00', '2026-10-25T01:59:00Z', true],
    ['02:00', '03:00', '2026-10-25T02:00:00Z', false],
    ['22:00', '07:00', '2026-10-24T20:00:00Z', true],
    ['22:00', '07:00', '2026-10-25T05:59:00Z', true],
    ['22:00', '07:00', '2026-10-25T06:00:00Z', false],
  ])('from %s to %s follow the clocks when these change, at %s', (from, to, now, expected) => {
    const days = ['SATURDAY', 'SUNDAY'] as const
    const hours = checkQuietHours({
      timeZone: 'Europe/Berlin',
      periods: [{ days: [...days], from, to }],
    })
    expect(isQuiet(hours, now)).toBe(expected)
  })

  test.each([
    [{ timeZone: 'Mars/Base', periods: [] }, 'quietHours.timeZone'],
    [{ timeZone: 'UTC', periods: [] }, 'quietHours.periods'],
    [{ timeZone: 'UTC', periods: [{ days: [], from: '01:00', to: '02:00' }] }, 'periods[0].days'],
    [
      { timeZone: 'UTC', periods: [{ days: ['MONDAY'], from: '24:00', to: '02:00' }] },
      'periods[0].from',
    ],
    [
      { timeZone: 'UTC', periods: [{ days: ['MONDAY'], from: '02:00', to: '02:00' }] },
      'periods[0].to',
    ],
    [
      { timeZone: 'UTC', periods: [{ days: ['MONDAY'], from: '02:00', to: '2:5' }] },
      'periods[0].to',
    ],
  ] as const)('%o are invalid, and the error names %s', (given, field) => {
    expect(() => checkQuietHours(given as never)).toThrow(field)
  })

  test('a period and its complement divide every moment', () => {
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
    const days = [...new Set(NIGHTS.periods.flatMap((period) => period.days)), 'FRIDAY' as const]
    fc.assert(
      fc.property(
        time,
        time,
        fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
        (from, to, now, timeZone) => {
          fc.pre(from !== to)
          const of = (start: string, end: string) =>
            isQuiet(
              checkQuietHours({ timeZone, periods: [{ days, from: start, to: end }] }),
              now.toISOString(),
            )
          expect(of(from, to)).toBe(!of(to, from))
        },
      ),
    )
  })
})

describe('the state of an alert', () => {
  test('a value on the threshold does not fire, the next one does', () => {
    expect(stateOf(5, 'ABOVE', 5)).toBe('OK')
    expect(stateOf(5 + Number.EPSILON * 4, 'ABOVE', 5)).toBe('FIRING')
    expect(stateOf(5, 'BELOW', 5)).toBe('OK')
    expect(stateOf(4.999999, 'BELOW', 5)).toBe('FIRING')
    expect(stateOf(0, 'BELOW', 1)).toBe('FIRING')
    expect(stateOf(null, 'BELOW', 1)).toBe('NO_DATA')
  })

  const FRESH: AlertProgress = { state: null, stateSince: null, toldState: null, toldAt: null }
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  const evaluations = fc.array(
    fc.record({
      state: fc.constantFrom('OK', 'FIRING', 'NO_DATA', 'FAILED'),
      quiet: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  const run = (
    given: readonly { state: 'OK' | 'FIRING' | 'NO_DATA' | 'FAILED'; quiet: boolean }[],
    repeatMinutes: number | null,
  ) => {
    let progress = FRESH
    return given.map(({ state, quiet }, minute) => {
      const decision = decide({ ...progress, repeatMinutes }, state, at(minute), quiet)
      progress = decision.progress
      return { ...decision, state, quiet, minute }
    })
  }

  test('every change is an event, nobody is called in quiet hours, and outside of them the webhook knows the state', () => {
    fc.assert(
      fc.property(evaluations, fc.option(fc.integer({ min: 1, max: 9 })), (given, repeat) => {
        let before: string | null = null
        let told = 'OK'
        let calledAt: number | undefined
        for (const { state, quiet, minute, event, progress } of run(given, repeat)) {
          expect(event?.type === 'CHANGED').toBe(state !== before)
          if (quiet) expect(event?.isCalled ?? false).toBe(false)
          if (event?.isCalled) {
            // A webhook hears the same twice only when it fires on, and a repetition is due.
            if (state === told) {
              expect(state).toBe('FIRING')
              expect(minute - (calledAt ?? minute)).toBeGreaterThanOrEqual(repeat ?? Infinity)
            }
            told = state
            calledAt = minute
          }
          if (!quiet && state !== 'NO_DATA') expect(told).toBe(state)
          if (before !== state) expect(progress.stateSince).toBe(at(minute))
          before = state
        }
      }),
    )
  })

  test('an alert that fires and ends within quiet hours is never told', () => {
    const calls = run(
      [
        { state: 'OK', quiet: false },
        { state: 'FIRING', quiet: true },
        { state: 'OK', quiet: true },
        { state: 'OK', quiet: false },
      ],
      5,
    ).filter(({ event }) => event?.isCalled)
    expect(calls).toEqual([])
  })

  test('missing data neither resolves an alert nor fires it', () => {
    const events = run(
      [
        { state: 'FIRING', quiet: false },
        { state: 'NO_DATA', quiet: false },
        { state: 'FIRING', quiet: false },
        { state: 'OK', quiet: false },
      ],
      null,
    ).map(({ event }) => event)
    expect(events).toEqual([
      { type: 'CHANGED', isCalled: true },
      { type: 'CHANGED', isCalled: false },
      { type: 'CHANGED', isCalled: false },
      { type: 'CHANGED', isCalled: true },
    ])
  })
})

describe('a call', () => {
  test('is signed as in the example of Standard Webhooks', () => {
    expect(
      signedHeaders(
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        1614265330,
        '{"test": 2432232314}',
      ),
    ).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('is signed with a secret of 32 random bytes', () => {
    const secret = newSecret()
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    expect(key).toHaveLength(32)
    expect(newSecret()).not.toBe(secret)
    const expected = createHmac('sha256', key).update('a.1.b').digest('base64')
    expect(signedHeaders(secret, 'a', 1, 'b')['webhook-signature']).toBe(`v1,${expected}`)
  })

  const told: Told = {
    url: null,
    projectId: 'p',
    eventId: 'e',
    createdAt: '2026-11-23T10:00:00.000000Z',
    type: 'CHANGED',
    state: 'FIRING',
    value: 0.123456789,
    message: null,
    alert: {
      id: 'a',
      name: 'errors <!channel> & more',
      subject: 'STEPS',
      query: 'type=tool',
      environment: 'prod',
      metric: 'ERROR_RATE',
      comparison: 'ABOVE',
      threshold: 0.05,
      windowMinutes: 120,
    },
  }

  test.each([
    [
      {},
      'alert.firing',
      'Firing: errors &lt;!channel&gt; &amp; more. The share of errors of steps is 0.123457, above 0.05, over the last 2 hours.',
    ],
    [
      { type: 'REPEATED' },
      'alert.firing',
      'Still firing: errors &lt;!channel&gt; &amp; more. The share of errors of steps is 0.123457, above 0.05, over the last 2 hours.',
    ],
    [
      { state: 'OK', value: 0.05 },
      'alert.resolved',
      'Resolved: errors &lt;!channel&gt; &amp; more. The share of errors of steps is 0.05, not above 0.05, over the last 2 hours.',
    ],
    [
      { state: 'FAILED', value: null, message: 'too many rows' },
      'alert.failed',
      'Failed: errors &lt;!channel&gt; &amp; more. The value could not be computed: too many rows',
    ],
    [
      { type: 'TEST', state: null },
      'alert.test',
      'Test: errors &lt;!channel&gt; &amp; more. This call was asked for; it says nothing of the state.',
    ],
  ] as const)('of %o is a %s with a text for chats', (changes, type, text) => {
    const body = JSON.parse(bodyOf({ ...told, ...changes }))
    expect(body).toMatchObject({
      type,
      timestamp: told.createdAt,
      text,
      data: { id: 'e', url: null, projectId: 'p', alert: told.alert },
    })
  })

  test('leads to the page of the alert when the service knows its URL', () => {
    const url = pageOf('https://stepwell.example.org/base', 'a/b', 'c&d')
    expect(url).toBe('https://stepwell.example.org/base/projects/a%2Fb/settings/alerts?alert=c%26d')
    const body = JSON.parse(bodyOf({ ...told, url }))
    expect(body.data.url).toBe(url)
    expect(body.text).toMatch(/over the last 2 hours\. https:\/\/\S+$/)
    expect(pageOf(undefined, 'p', 'a')).toBe(null)
  })
})
