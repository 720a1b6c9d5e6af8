import { describe, expect, it } from 'vitest'
import { replayQueuedCalls } from './commandQueue.ts'

describe('calls that a page has queued', () => {
  it('are replayed in order, and their promises settle', async () => {
    const replayed: unknown[] = []
    const target = {
      open: () => replayed.push('open'),
      auth: {
        contacts: {
          async login(credentials: unknown) {
            replayed.push(credentials)
            return { contact: null }
          },
        },
      },
    }
    const queueCall = (name: string, ...args: unknown[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      return { promise, call: [name, args, resolve, reject] }
    }
    const [open, login, unknown] = [
      queueCall('open'),
      queueCall('auth.contacts.login', { token: 'c:1' }),
      queueCall('nothing.there'),
    ]
    const queue = [open.call, login.call, unknown.call]
    replayQueuedCalls(target, queue)
    expect(await login.promise).toEqual({ contact: null })
    expect(await open.promise).toBe(1)
    await expect(unknown.promise).rejects.toBeInstanceOf(Error)
    expect(replayed).toEqual(['open', { token: 'c:1' }])
    // A reference that the page keeps to the queue still works.
    const later = queueCall('open')
    queue.push(later.call)
    expect(await later.promise).toBe(3)
  })

  it('are replayed if the page has frozen Array.prototype', async () => {
    const replayed: string[] = []
    const queue: unknown[] = []
    // Assigning throws if a frozen prototype has a property with that name.
    Object.setPrototypeOf(
      queue,
      Object.freeze(Object.create(Array.prototype, { push: { value: Array.prototype.push } })),
    )
    replayQueuedCalls({ open: () => replayed.push('open') }, queue)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    queue.push(['open', [], resolve, reject])
    expect(await promise).toBe(1)
  })

  it('are ignored if the global is not a queue', () => {
    for (const clobbered of [undefined, null, document.createElement('form'), 'x', 7]) {
      expect(() => replayQueuedCalls({}, clobbered)).not.toThrow()
    }
  })
})
