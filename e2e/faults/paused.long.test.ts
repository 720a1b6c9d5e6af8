import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { engines } from './engines.ts'

// Each takes its own `onTestFinished`: the imported one belongs to whichever test began last.
it.concurrent.for(engines)(
  'a node on %s that is stopped after it has read a request undoes nothing newer when it goes on',
  async ([_, open], { onTestFinished }) => {
    const { deployment, block, isWaiting } = await open({ onTestFinished })
    const [node] = await Promise.all([deployment.serve({}, 0), deployment.serve({}, 1)])
    const [first = '', second = ''] = deployment.apis
    const send = (api: string, method: string, path: string, json: object, headers: Record<string, string> = {}) =>
      fetch(api + path, {
        method,
        headers: {
          authorization: `Bearer ${deployment.organizationToken}`,
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify(json),
      })
    const attempt = (key: string, number: number) => ({ 'idempotency-key': key, 'idempotency-attempt': `${number}` })
    /** Sends a request to the first node, and stops that before the request takes effect. */
    const stopDuring = async (request: () => Promise<Response>): Promise<Promise<Response>[]> => {
      const unblock = await block()
      const answer = request()
      answer.catch(() => {})
      await expect.poll(isWaiting).toBe(true)
      process.kill(node.pid, 'SIGSTOP')
      // Its threads stop one after the other; one that still runs could get the lock, and keep it while it is stopped.
      await pause(200)
      await unblock()
      return [answer]
    }
    const goOn = (): void => void process.kill(node.pid, 'SIGCONT')

    const created = await send(second, 'PUT', '/contacts', { name: 'Ada', email: 'ada@example.com' })
    const { id } = ((await created.json()) as { data: { id: string } }).data
    const update = (api: string, phone: string, headers = {}) =>
      send(api, 'PATCH', `/contacts/${id}`, { phone }, headers)
    const phone = async () => {
      const found = await deployment.call('GET', `/contacts/${id}`, { api: second })
      return ((await found.json()) as { data: { phone: string } }).data.phone
    }

    // A token that is asked for again at another node.
    const [lateToken] = await stopDuring(() => send(first, 'PUT', '/auth/contacts', { id }, attempt('token', 1)))
    const again = await send(second, 'PUT', '/auth/contacts', { id }, attempt('token', 2))
    expect(again.status).toBe(201)
    const { token } = ((await again.json()) as { data: { token: string } }).data
    goOn()
    expect((await lateToken)?.status).toBe(409)
    expect((await deployment.call('GET', '/widget/session', { token, api: second })).status).toBe(200)

    // An update that is sent again, then another one.
    const [lateUpdate] = await stopDuring(() => update(first, '111', attempt('update', 1)))
    expect((await update(second, '111', attempt('update', 2))).status).toBe(200)
    expect((await update(second, '222')).status).toBe(200)
    goOn()
    expect((await lateUpdate)?.status).toBe(409)
    expect(await phone()).toBe('222')

    // One without a key: its deadline passes while the node is stopped.
    const [refused] = await stopDuring(() => update(first, '333'))
    expect((await update(second, '444')).status).toBe(200)
    await pause(5_500)
    goOn()
    expect((await refused)?.status).toBe(503)
    expect(await phone()).toBe('444')
  },
)
