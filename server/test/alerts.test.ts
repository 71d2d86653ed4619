import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.js'
import { type Ask, asker } from './support/ask.js'
import { isSigned, Receiver } from './support/receiver.js'

let service: Service
let ask: Ask
let receiver: Receiver
beforeAll(async () => {
  receiver = await Receiver.open()
  service = await createService({
    webhookHosts: ['127.0.0.1'],
    publicUrl: 'https://stepwell.example.org/',
  })
})
beforeEach(async () => {
  receiver.clear()
  ask = asker(service, (await service.createProject(`alerts ${Math.random()}`)).apiKey)
})
afterAll(async () => {
  await service?.close()
  await receiver?.close()
})

const FIELDS = `id name subject query environment metric comparison threshold windowMinutes repeatMinutes
  quietHours { timeZone periods { days from to } } webhookHost isPaused state value message`
const create = async (variables: Record<string, unknown> = {}) =>
  (
    await ask(
      `mutation($name: String!, $subject: AlertSubject!, $query: String, $environment: String, $metric: AlertMetric!,
        $comparison: AlertComparison!, $threshold: Float!, $windowMinutes: Int!, $repeatMinutes: Int,
        $quietHours: AlertQuietHoursInput, $webhookUrl: String!) {
        createAlert(name: $name, subject: $subject, query: $query, environment: $environment, metric: $metric,
          comparison: $comparison, threshold: $threshold, windowMinutes: $windowMinutes, repeatMinutes: $repeatMinutes,
          quietHours: $quietHours, webhookUrl: $webhookUrl) { alert { ${FIELDS} } secret } }`,
      {
        name: 'errors',
        subject: 'STEPS',
        metric: 'ERROR_COUNT',
        comparison: 'ABOVE',
        threshold: 0,
        windowMinutes: 5,
        webhookUrl: receiver.url,
        ...variables,
      },
    )
  ).createAlert
const update = async (variables: Record<string, unknown>) =>
  (
    await ask(
      `mutation($id: String!, $name: String, $subject: AlertSubject, $query: String, $threshold: Float, $repeatMinutes: Int,
        $quietHours: AlertQuietHoursInput, $webhookUrl: String, $isPaused: Boolean) {
        updateAlert(id: $id, name: $name, subject: $subject, query: $query, threshold: $threshold,
          repeatMinutes: $repeatMinutes, quietHours: $quietHours, webhookUrl: $webhookUrl, isPaused: $isPaused) { ${FIELDS} } }`,
      variables,
    )
  ).updateAlert
const list = async () => (await ask(`{ alerts { ${FIELDS} } }`)).alerts
const EVENT =
  'id alertId type state value threshold isQuiet call { state attempts status error calledAt nextAt }'
const events = async (alertId: string, first?: number) =>
  (
    await ask(
      `query($alertId: String!, $first: Int) { alertEvents(alertId: $alertId, first: $first) { ${EVENT} } }`,
      { alertId, first },
    )
  ).alertEvents
const tryOut = async (id: string) =>
  (await ask(`mutation($id: String!) { testAlert(id: $id) { ${EVENT} } }`, { id })).testAlert
const errorOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: Error) => JSON.parse(error.message)[0].message,
  )

describe('an alert', () => {
  const quietHours = {
    timeZone: 'Asia/Kathmandu',
    periods: [{ days: ['MONDAY', 'FRIDAY'], from: '22:00', to: '07:00' }],
  }

  test('is kept as it was given, without the URL, and its secret is shown once', async () => {
    const given = {
      name: 'slow answers',
      subject: 'GENERATIONS',
      query: 'model=gpt',
      environment: 'prod',
      metric: 'DURATION_P95',
      comparison: 'ABOVE',
      threshold: 12.5,
      windowMinutes: 60,
      repeatMinutes: 30,
      quietHours,
    }
    const { alert, secret } = await create(given)
    expect(alert).toEqual({
      id: alert.id,
      ...given,
      webhookHost: new URL(receiver.url).host,
      isPaused: false,
      state: null,
      value: null,
      message: null,
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const answer = JSON.stringify(await list())
    expect(answer).not.toContain('secret-path')
    expect(answer).not.toContain(secret)
  })

  test('keeps what an update leaves out, and loses what it clears', async () => {
    const { alert } = await create({ quietHours, repeatMinutes: 30 })
    expect(await update({ id: alert.id, name: 'other' })).toMatchObject({
      name: 'other',
      quietHours,
      repeatMinutes: 30,
      threshold: 0,
    })
    expect(
      await update({ id: alert.id, quietHours: null, repeatMinutes: null, threshold: null }),
    ).toMatchObject({ quietHours: null, repeatMinutes: null, threshold: 0 })
  })

  test('fires within seconds of its creation, by a signed call, and resolves', async () => {
    await ask(
      'mutation { ingestSteps(steps: [{ id: "s", name: "tool", type: tool, error: "broken" }]) { ok } }',
    )
    const { alert, secret } = await create({ query: 'type=tool' })
    await eventually(() => expect(receiver.types).toEqual(['alert.firing']))
    const [call] = receiver.calls
    if (call === undefined) throw new Error('no call')
    expect(isSigned(call, secret)).toBe(true)
    expect(isSigned(call, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(false)
    expect(call.body).toMatchObject({
      text: expect.stringContaining(
        'Firing: errors. The number of errors of steps is 1, above 0, over the last 5 minutes.',
      ),
      data: { state: 'FIRING', value: 1, alert: { id: alert.id, query: 'type=tool' } },
    })
    expect(JSON.stringify(call.body)).not.toContain('secret-path')
    await update({ id: alert.id, threshold: 1 })
    await eventually(() => expect(receiver.types).toEqual(['alert.firing', 'alert.resolved']))
    await eventually(async () =>
      expect(await events(alert.id)).toMatchObject([
        { type: 'CHANGED', state: 'OK', threshold: 1, call: { state: 'DELIVERED', status: 200 } },
        { type: 'CHANGED', state: 'FIRING', threshold: 0, call: { state: 'DELIVERED' } },
      ]),
    )
    expect(await events(alert.id, 1)).toHaveLength(1)
  })

  test('is tested by a call that is marked, whose outcome the answer has', async () => {
    const { alert, secret } = await create({ metric: 'COUNT' })
    expect(await tryOut(alert.id)).toMatchObject({
      type: 'TEST',
      alertId: alert.id,
      call: { state: 'DELIVERED', attempts: 1, status: 200, error: null, nextAt: null },
    })
    expect(receiver.calls).toHaveLength(1)
    expect(receiver.calls[0]?.body.type).toBe('alert.test')
    const { projectId, url } = receiver.calls[0]?.body.data ?? {}
    expect(url).toBe(
      `https://stepwell.example.org/projects/${projectId}/settings/alerts?alert=${alert.id}`,
    )
    expect(receiver.calls.every((call) => isSigned(call, secret))).toBe(true)
    receiver.statuses.push(404)
    expect((await tryOut(alert.id)).call).toMatchObject({
      state: 'FAILED',
      status: 404,
      error: 'the webhook answered 404',
      nextAt: null,
    })
    for (let count = 0; count < 8; count++) await tryOut(alert.id)
    expect(await errorOf(tryOut(alert.id))).toContain('at most 10 tests')
  })

  test('does not follow a redirect', async () => {
    receiver.headers = { location: `${receiver.url}/elsewhere` }
    receiver.statuses.push(307)
    const { alert } = await create({ metric: 'COUNT' })
    expect((await tryOut(alert.id)).call).toMatchObject({
      state: 'FAILED',
      status: 307,
      error: 'the webhook redirects (307), which is not followed',
    })
    expect(receiver.calls).toHaveLength(1)
  })

  test('signs with a new secret once that is rotated', async () => {
    const { alert, secret } = await create({ metric: 'COUNT' })
    const { rotateAlertSecret: rotated } = await ask(
      'mutation($id: String!) { rotateAlertSecret(id: $id) { alert { id } secret } }',
      { id: alert.id },
    )
    expect(rotated.alert.id).toBe(alert.id)
    await tryOut(alert.id)
    expect(receiver.calls.map((call) => isSigned(call, rotated.secret))).toEqual([true])
    expect(receiver.calls.map((call) => isSigned(call, secret))).toEqual([false])
  })

  test('keeps its query when the view is deleted that it is from', async () => {
    const { createView: view } = await ask(
      'mutation { createView(subject: STEPS, name: "tools", query: "type=tool") { id query } }',
    )
    const { alert } = await create({ query: view.query })
    await ask('mutation($id: String!) { deleteView(id: $id) { id } }', { id: view.id })
    expect(await list()).toMatchObject([{ id: alert.id, query: 'type=tool' }])
  })

  test('is deleted with its history, once', async () => {
    const { alert } = await create({ metric: 'COUNT' })
    await tryOut(alert.id)
    const remove = () =>
      ask('mutation($id: String!) { deleteAlert(id: $id) { id } }', { id: alert.id })
    expect(await remove()).toEqual({ deleteAlert: { id: alert.id } })
    expect(await remove()).toEqual({ deleteAlert: null })
    expect(await events(alert.id)).toEqual([])
    expect(await errorOf(tryOut(alert.id))).toContain('no alert has the id')
    expect(await errorOf(update({ id: alert.id }))).toContain('no alert has the id')
  })

  test.each([
    [{ name: ' ' }, 'name: expected'],
    [{ query: 'nothing=1' }, 'query: at character 1'],
    [{ query: 'x'.repeat(10_001) }, 'query: expected at most 10000'],
    [{ environment: 'moon' }, 'environment: expected one of'],
    [{ subject: 'SCORES', metric: 'COUNT', environment: 'prod' }, 'environment: scores have none'],
    [{ subject: 'SCORES' }, 'metric: ERROR_COUNT is none of scores'],
    [{ metric: 'SCORE_MEAN' }, 'metric: SCORE_MEAN is none of steps'],
    [{ windowMinutes: 4 }, 'windowMinutes: expected a whole number from 5 to 10080'],
    [{ windowMinutes: 10_081 }, 'windowMinutes: expected'],
    [{ repeatMinutes: 1 }, 'repeatMinutes: expected'],
    [{ quietHours: { timeZone: 'Nowhere', periods: [] } }, 'quietHours.timeZone: expected'],
    [{ webhookUrl: 'mailto:ada@example.org' }, 'webhookUrl: expected a URL'],
    [{ webhookUrl: 'https://10.0.0.1/secret-path' }, 'webhookUrl: expected a public address'],
    [{ webhookUrl: 'https://localhost/secret-path' }, 'allow localhost with --webhook-hosts'],
    [{ webhookUrl: 'https://[::1]/secret-path' }, 'webhookUrl: expected a public address'],
    [{ webhookUrl: 'http://example.org/secret-path' }, 'webhookUrl: expected https'],
    [{ webhookUrl: 'https://ada:secret-path@example.org/' }, 'without a user'],
  ])('is not created with %o', async (given, message) => {
    const error = await errorOf(create(given))
    expect(error).toContain(message)
    expect(error).not.toContain('secret-path')
    expect(await list()).toEqual([])
  })

  test('is one of at most 100 of a project', async () => {
    for (let count = 0; count < 100; count++) await create({ metric: 'COUNT', threshold: 1e9 })
    expect(await errorOf(create())).toContain('at most 100 alerts')
    for (const { id } of await list())
      await ask('mutation($id: String!) { deleteAlert(id: $id) { id } }', { id })
  })
})
