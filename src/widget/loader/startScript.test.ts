import { afterEach, describe, expect, it, vi } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { replayQueuedCalls, startScript } from './startScript.ts'

afterEach(() => {
  window.Natter?.destroy()
  vi.restoreAllMocks()
  Reflect.deleteProperty(Object.getPrototypeOf(document), 'currentScript')
  document.body.replaceChildren()
})

/** Runs the script as if this were its tag, and returns the address that it fetches its files by. */
function start(tag: { src: string; dataset: Record<string, string> } | null) {
  Object.defineProperty(Object.getPrototypeOf(document), 'currentScript', { configurable: true, value: tag })
  const chunks = createChunks()
  let address: string | undefined
  startScript(src => {
    address = src
    return chunks
  })
  return { address, chunks }
}

it.each(['', 'blob:https://shop.example/1', 'data:text/javascript,1'])(
  'a script without an address of its own takes data-base-url: %j',
  async src => {
    expect(start({ src, dataset: { botId: 'bot', baseUrl: 'https://chat.example' } }).address).toBe(
      'https://chat.example/',
    )
    await window.Natter.ready
    expect(document.querySelector('[data-natter]')).not.toBeNull()
  },
)

it.each([
  ['an inlined script without data-base-url', { src: '', dataset: { botId: 'bot' } }, 'data-base-url'],
  ['a module and an evaluated script', null, 'remove type="module", and do not evaluate'],
])('%s gets a line in the console that says what to write, and nothing throws', (_, tag, advice) => {
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation(line => void lines.push(line))
  start(tag as never)
  expect(lines).toEqual([expect.stringContaining(advice)])
})

it('a tag without a bot id is reported only on a page without <natter-chat>, such as one that a tag manager has inserted', async () => {
  const tag = { src: 'https://chat.example/natter.js', dataset: {} }
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  document.body.append(document.createElement('natter-chat'))
  await start(tag).chunks.displayMode()
  await new Promise(resolve => setTimeout(resolve))
  expect(warn.mock.calls.join()).not.toContain('There is no chat')
  document.body.replaceChildren()
  start(tag)
  await expect.poll(() => warn.mock.calls.join()).toContain('has no `data-bot-id`')
})

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
