import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isSigned, Receiver } from '../server/test/support/receiver.js'
import { StepwellClient } from '../src/index.js'
import { eventually } from './support/eventually.js'

let service: Service
let receiver: Receiver
let client: StepwellClient
beforeAll(async () => {
  receiver = await Receiver.open()
  service = await createService({ webhookHosts: ['127.0.0.1'] })
})
beforeEach(async () => {
  receiver.clear()
  const { apiKey } = await service.createProject(`alerts ${Math.random()}`)
  client = new StepwellClient({ apiKey, fetch: service.fetch })
})
afterAll(async () => {
  await service?.close()
  await receiver?.close()
})

const PERIOD = { days: ['MONDAY' as const, 'FRIDAY' as const], from: '22:00', to: '07:00' }
const QUIET = {
  timeZone: 'Asia/Kathmandu',
  periods: [PERIOD],
}
const definition = () =>
  ({
    name: 'errors',
    subject: 'STEPS',
    query: 'type=tool',
    metric: 'ERROR_COUNT',
    comparison: 'ABOVE',
    threshold: 0,
    windowMinutes: 5,
    webhookUrl: receiver.url,
  }) as const

describe('an alert', () => {
  test('fires by a call that its secret verifies, and its history says so', async () => {
    await client.api.sendSteps([{ id: 's', name: 'search', type: 'tool', error: 'broken' }])
    const { alert, secret } = await client.api.createAlert(definition())
    expect(alert).toMatchObject({ name: 'errors', query: 'type=tool', state: null, value: null })
    await eventually(() => expect(receiver.types).toEqual(['alert.firing']))
    const [call] = receiver.calls
    expect(call && isSigned(call, secret)).toBe(true)
    await eventually(async () =>
      expect(await client.api.getAlertEvents({ alertId: alert.id })).toMatchObject([
        { type: 'CHANGED', state: 'FIRING', value: 1, call: { state: 'DELIVERED', status: 200 } },
      ]),
    )
    expect(await client.api.getAlerts()).toMatchObject([{ state: 'FIRING', value: 1 }])
  })

  test('is tested, also when its webhook fails, and signs with the new secret after a rotation', async () => {
    const { alert, secret } = await client.api.createAlert(definition())
    await client.api.updateAlert(alert.id, { isPaused: true })
    const renewed = await client.api.rotateAlertSecret(alert.id)
    expect(renewed.alert).toMatchObject({ id: alert.id, isPaused: true })
    expect(renewed.secret).not.toBe(secret)
    expect(await client.api.testAlert(alert.id)).toMatchObject({
      type: 'TEST',
      call: { state: 'DELIVERED', status: 200, error: null },
    })
    const [call] = receiver.calls
    expect(call && isSigned(call, renewed.secret)).toBe(true)
    expect(call && isSigned(call, secret)).toBe(false)
    receiver.statuses.push(500)
    expect((await client.api.test_alert({ id: alert.id })).call).toMatchObject({
      state: 'FAILED',
      status: 500,
      next_at: null,
      error: 'the webhook answered 500',
    })
  })

  test('has its quiet hours in either spelling, and the other fields of an update stay', async () => {
    const { webhookUrl, windowMinutes, ...rest } = definition()
    const { alert } = await client.api.create_alert({
      ...rest,
      webhook_url: webhookUrl,
      window_minutes: windowMinutes,
      repeat_minutes: 30,
      quiet_hours: { time_zone: QUIET.timeZone, periods: QUIET.periods },
    })
    expect(alert.quiet_hours).toEqual({ time_zone: QUIET.timeZone, periods: QUIET.periods })
    expect((await client.api.getAlerts())[0]?.quietHours).toEqual(QUIET)
    const sunday = { ...QUIET, periods: [{ ...PERIOD, days: ['SUNDAY' as const] }] }
    expect(await client.api.updateAlert(alert.id, { quietHours: sunday })).toMatchObject({
      quietHours: sunday,
      repeatMinutes: 30,
      windowMinutes: 5,
    })
    expect(await client.api.update_alert({ id: alert.id, quiet_hours: null })).toMatchObject({
      quiet_hours: null,
      repeat_minutes: 30,
    })
  })

  test('is never shown with the URL of its webhook, by any operation', async () => {
    const created = await client.api.createAlert(definition())
    const { id } = created.alert
    const shown = [
      created,
      await client.api.getAlerts(),
      await client.api.updateAlert(id, { name: 'other' }),
      await client.api.testAlert(id),
      await client.api.rotateAlertSecret(id),
      await client.api.getAlertEvents({ alertId: id }),
    ]
    expect(JSON.stringify(shown)).not.toContain('secret-path')
    expect(created.alert.webhookHost).toBe(new URL(receiver.url).host)
  })

  test('is no alert of another project', async () => {
    const { id } = (await client.api.createAlert(definition())).alert
    const { apiKey } = await service.createProject('other')
    const other = new StepwellClient({ apiKey, fetch: service.fetch })
    expect(await other.api.getAlerts()).toEqual([])
    expect(await other.api.getAlertEvents({ alertId: id })).toEqual([])
    expect(await other.api.deleteAlert(id)).toBeNull()
    for (const attempt of [
      () => other.api.updateAlert(id, { name: 'mine' }),
      () => other.api.testAlert(id),
      () => other.api.rotateAlertSecret(id),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await client.api.deleteAlert(id)).toBe(id)
    expect(await client.api.delete_alert({ id })).toBeNull()
  })

  test('with an empty id is a mistake that names the field, for clients of any kind', async () => {
    const { api } = client
    for (const attempt of [
      () => api.updateAlert('', { name: 'x' }),
      () => api.delete_alert({ id: '' }),
      () => api.testAlert(''),
      () => api.rotate_alert_secret(''),
      () => client.query('mutation { updateAlert(id: "", name: "x") { id } }'),
      () => client.query('mutation { deleteAlert(id: "") { id } }'),
      () => client.query('mutation { testAlert(id: "") { id } }'),
      () => client.query('mutation { rotateAlertSecret(id: "") { secret } }'),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(/^id: expected/),
      })
    await expect(api.getAlertEvents({ alertId: '' })).rejects.toThrow(/^alertId: expected an id/)
  })

  test('with a wrong field is a mistake that names it, also within quiet hours', async () => {
    const { api } = client
    const create = (changes: object) => () => api.createAlert({ ...definition(), ...changes })
    for (const [attempt, place] of [
      [create({ threshold: Number.NaN }), 'threshold'],
      [create({ windowMinutes: undefined }), 'windowMinutes'],
      [create({ windowMinutes: 1.5 }), 'windowMinutes'],
      [create({ metric: 'MEDIAN' }), 'metric'],
      [create({ query: 'colour=red' }), 'query'],
      [create({ quietHours: { ...QUIET, timeZone: 'Mars/Olympus' } }), 'quietHours.timeZone'],
      [create({ quietHours: { ...QUIET, periods: [{ ...PERIOD, from: '25:00' }] } }), 'quietHours'],
      [create({ webhookUrl: 'mailto:a@example.org' }), 'webhookUrl'],
    ] as const) {
      const error = await attempt().catch((problem: unknown) => problem)
      expect(error).toMatchObject({
        code: expect.stringMatching(/^(INVALID_ARGUMENT|BAD_REQUEST)$/),
        message: expect.stringMatching(new RegExp(`^${place.replace('.', '\\.')}\\b`)),
      })
    }
    expect(await api.getAlerts()).toEqual([])
  })
})
