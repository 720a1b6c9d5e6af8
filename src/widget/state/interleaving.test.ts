import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adaToken, createAcme, createMemoryUpdate, graceToken, outcome, settle, shown } from '../fixtures.ts'

describe('whatever the order of answers', () => {
  type Step = 'ada' | 'grace' | 'logout' | 'revoke' | 'send' | 'other logout' | 'other grace' | 'hide and show'
  const steps: Step[] = ['ada', 'grace', 'logout', 'revoke', 'send', 'other logout', 'other grace', 'hide and show']

  it('both tabs end as the same person, showing only what is theirs, and nothing stored is of anyone else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 7 }),
        async (s, plan) => {
          const { browser, platform, said } = createAcme()
          const fetch = s.scheduleFunction(platform.fetch as (...words: unknown[]) => Promise<Response>)
          const update = s.scheduleFunction(createMemoryUpdate(browser.records))
          const one = browser.openTab({ fetch: fetch as unknown as typeof globalThis.fetch, update })
          const other = browser.openTab({ fetch: fetch as unknown as typeof globalThis.fetch })
          const leaks: string[] = []
          for (const tab of [one, other]) {
            tab.core.models.conversation.messages.subscribe(() => {
              const who = tab.core.models.session.contact.peek()?.id
              for (const text of shown(tab)) {
                if ((text === 'Dear Ada' && who !== 'ada') || (text === 'Dear Grace' && who !== 'grace'))
                  leaks.push(text)
              }
            })
          }
          const act: Record<Step, () => void> = {
            ada: () => void outcome(one.core.login(adaToken)),
            grace: () => void outcome(one.core.login(graceToken)),
            logout: () => void one.core.logout(),
            revoke: () => platform.end(adaToken, 'revoked'),
            send: () => one.core.models.conversation.send('From one'),
            'other logout': () => void other.core.logout(),
            'other grace': () => void outcome(other.core.login(graceToken)),
            'hide and show'() {
              one.fire('pagehide')
              one.fire('pageshow')
            },
          }
          for (const step of plan) {
            act[step]()
            await settle()
            if (s.count() > 0) await s.waitOne()
            await settle()
          }
          // Streams stay open: the scheduler is drained until only they are left.
          for (let turn = 0; turn < 60; turn++) {
            while (s.count() > 0) {
              await s.waitOne()
              await settle()
            }
            await browser.clock.advance(500)
          }
          expect(leaks).toEqual([])
          expect(one.core.contact()).toEqual(other.core.contact())
          const who = one.core.contact()?.id
          const stored = JSON.stringify([...browser.records])
          if (who !== 'ada') expect(stored).not.toContain('Dear Ada')
          if (who !== 'grace') expect(stored).not.toContain('Dear Grace')
          if (!who) expect(browser.token()?.[0]).not.toBe('c')
          // A message goes to one conversation or, if the session ended first, to none.
          const all = [...platform.sessions.values()].map(({ messages }) => messages)
          const sent = [...new Set(all)].flat().filter(({ text }) => text === 'From one')
          expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length)
          expect(said(adaToken).concat(said(graceToken)).length).toBeGreaterThan(1)
          one.core.destroy()
          other.core.destroy()
          await browser.clock.advance(0)
          expect(one.listeners + other.listeners).toBe(0)
        },
      ),
      { numRuns: 200 },
    )
  }, 120_000)
})
