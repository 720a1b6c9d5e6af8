import { describe, expect, it, vi } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { handle, hosts, make, root, settle, token } from '../testing/testHandle.ts'

describe('the handle', () => {
  it("lets go of listeners, by undo and by off, and survives a page's mistake in one", async () => {
    const chunks = createChunks()
    make(chunks)
    const report = vi.fn()
    vi.stubGlobal('reportError', report)
    const [one, other] = [vi.fn(), vi.fn()]
    const undo = handle.on('open', one)
    handle.on('open', other)
    handle.on('open', () => {
      throw new Error('mistake')
    })
    handle.open()
    await settle()
    undo()
    handle.off('open', other)
    chunks.emit('open', undefined)
    expect([one.mock.calls.length, other.mock.calls.length, report.mock.calls.length]).toEqual([1, 1, 2])
    vi.unstubAllGlobals()
  })

  it('takes the panel away when the page destroys it as it opens', async () => {
    const chunks = createChunks()
    make(chunks)
    await handle.ready
    const within = root()
    handle.on('open', handle.destroy)
    handle.open()
    await settle()
    expect(chunks.calls).toContainEqual(['mount'])
    expect(within.querySelector('section')).toBeNull()
  })

  it('refuses a listener that is none', () => {
    make(createChunks())
    expect(() => handle.on('auth', undefined as never)).toThrow(TypeError)
    expect(() => handle.on('auth', {} as never)).toThrow('function')
  })

  it('opens nothing for a message that is none', async () => {
    const chunks = createChunks()
    make(chunks)
    await handle.auth.contacts.login({ token })
    chunks.refuses = true
    expect(() => handle.message(undefined as never)).toThrow(TypeError)
    await settle()
    expect(chunks.calls.map(([name]) => name)).toEqual(['login'])
  })

  it('speaks as well as it can where it is told no language', () => {
    make(createChunks())
    for (const tag of [undefined, 5, {}]) expect(() => handle.setLocale(tag as never)).not.toThrow()
  })

  it('forgets the session at a logout after its end, too', async () => {
    make(createChunks())
    await handle.auth.contacts.login({ token })
    handle.destroy()
    localStorage.setItem('natter:bot:token', token)
    await handle.auth.contacts.logout()
    expect(localStorage.getItem('natter:bot:token')).toBe('-')
  })

  it('leaves nothing behind', async () => {
    const added = vi.spyOn(window, 'addEventListener')
    const removed = vi.spyOn(window, 'removeEventListener')
    const chunks = createChunks()
    for (let mount = 0; mount < 2; mount++) {
      make(chunks)
      await handle.ready
      handle.open()
      await settle()
      handle.destroy()
    }
    expect(hosts()).toEqual([])
    expect(added.mock.calls.length).toBe(removed.mock.calls.length)
    expect(added.mock.calls.length).toBeGreaterThan(0)
    expect(chunks.calls.filter(([name]) => name === 'destroy')).toHaveLength(2)
    await expect(handle.auth.contacts.login({ token })).rejects.toMatchObject({ code: 'superseded' })
    await expect(handle.auth.contacts.logout()).resolves.toBeUndefined()
    handle.open()
    handle.show()
    handle.destroy()
    expect(hosts()).toEqual([])
  })
})
