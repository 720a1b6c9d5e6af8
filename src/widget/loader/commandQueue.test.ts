import { describe, expect, it } from 'vitest'
import { replayQueuedCalls } from './commandQueue.ts'

describe('calls that a page has kept', () => {
  it('are made in order and answered', async () => {
    const made: unknown[] = []
    const target = {
      open: () => made.push('open'),
      auth: {
        contacts: {
          async login(credentials: unknown) {
            made.push(credentials)
            return { contact: null }
          },
        },
      },
    }
    const ask = (name: string, ...words: unknown[]) => {
      const answer = Promise.withResolvers<unknown>()
      return { answer, call: [name, words, answer.resolve, answer.reject] }
    }
    const [open, login, unknown] = [ask('open'), ask('auth.contacts.login', { token: 'c:1' }), ask('nothing.there')]
    const kept = [open.call, login.call, unknown.call]
    replayQueuedCalls(target, kept)
    expect(await login.answer.promise).toEqual({ contact: null })
    expect(await open.answer.promise).toBe(1)
    await expect(unknown.answer.promise).rejects.toBeInstanceOf(Error)
    expect(made).toEqual(['open', { token: 'c:1' }])
    // What the page holds on to goes on working.
    const later = ask('open')
    kept.push(later.call)
    expect(await later.answer.promise).toBe(3)
  })

  it('are made where the page has frozen Array.prototype', async () => {
    const made: string[] = []
    const queue: unknown[] = []
    // Like that of a frozen prototype: assigning to it throws.
    Object.setPrototypeOf(
      queue,
      Object.freeze(Object.create(Array.prototype, { push: { value: Array.prototype.push } })),
    )
    replayQueuedCalls({ open: () => made.push('open') }, queue)
    const answer = Promise.withResolvers<unknown>()
    queue.push(['open', [], answer.resolve, answer.reject])
    expect(await answer.promise).toBe(1)
  })

  it('are none where something else stood in the place', () => {
    for (const clobbered of [undefined, null, document.createElement('form'), 'x', 7]) {
      expect(() => replayQueuedCalls({}, clobbered)).not.toThrow()
    }
  })
})
