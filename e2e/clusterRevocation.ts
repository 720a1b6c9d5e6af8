import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Visitor } from './clusterVisitors.ts'
import { callUntilAnswered, type Load, newContact, newSession } from './faults/clients.ts'
import { expect } from './faultyNetwork.ts'

/**
 * Signs a new contact in to the visitor's widget and opens one of the contact's streams on every node. Resolves to a
 * function that revokes the token at `api` and resolves to the milliseconds between the response and the end of the
 * last stream.
 */
export async function prepareRevocation(
  { deployment }: Cluster,
  load: Load,
  { tabs: [tab] }: Visitor,
  api: string,
): Promise<() => Promise<number>> {
  const session = await newSession(load, await newContact(load))
  const { token } = session
  const login = () => tab?.page.evaluate(bearer => window.Natter.auth.contacts.login({ token: bearer }), token)
  await expect(async () => void (await login())).toPass({ timeout: 60_000 })
  await expect.poll(() => tab?.openStreams).toBe(1)
  const streams = await Promise.all(deployment.apis.map(api => openStream(`${api}/widget/events`, token)))
  const widget = await tab?.page.evaluateHandle(() => ({
    gone: new Promise<string>(resolve => window.Natter.on('auth', ({ reason }) => resolve(reason))),
  }))
  return async () => {
    const { status } = await callUntilAnswered(load, 'DELETE', `/auth/contacts/${token}`, { api })
    const answeredAt = performance.now()
    session.state = 'ended'
    // A node that cannot reach the store while a stream opens ends that stream itself.
    const open = streams.filter(({ isOpen }) => isOpen())
    const [reason, ...streamTexts] = await Promise.all([
      widget?.evaluate(({ gone }) => gone),
      ...open.map(({ end }) => end),
    ])
    const tookMs = performance.now() - answeredAt
    expect([status, reason]).toEqual([204, 'revoked'])
    for (const text of streamTexts) expect(text).toContain('event: session.ended')
    return tookMs
  }
}

/** Resolves when the stream is open. `end` resolves to everything received once the stream has ended. */
async function openStream(url: string, token: string): Promise<{ isOpen(): boolean; end: Promise<string> }> {
  for (;;) {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(120_000) }).catch(() => null)
    if (!response?.ok) {
      await pause(100)
      continue
    }
    let isOpen = true
    const end = response.text().finally(() => {
      isOpen = false
    })
    return { isOpen: () => isOpen, end }
  }
}
