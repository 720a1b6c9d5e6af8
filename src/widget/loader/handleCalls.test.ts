import { describe, expect, it, vi } from 'vitest'
import { createChunks, holdChunk } from '../testing/fakeChunks.ts'
import { handle, hosts, make, root, settle, storedIdentity, storeToken, token } from '../testing/testHandle.ts'

describe('the handle', () => {
  it('removes listeners, with the returned function and with off, and survives a listener that throws', async () => {
    const chunks = createChunks()
    make(chunks)
    const report = vi.fn()
    vi.stubGlobal('reportError', report)
    const [one, other] = [vi.fn(), vi.fn()]
    const unsubscribe = handle.on('open', one)
    handle.on('open', other)
    handle.on('open', () => {
      throw new Error('mistake')
    })
    handle.open()
    await settle()
    unsubscribe()
    handle.off('open', other)
    chunks.emit('open', undefined)
    expect([one.mock.calls.length, other.mock.calls.length, report.mock.calls.length]).toEqual([1, 1, 2])
    vi.unstubAllGlobals()
  })

  it('removes the panel when the page destroys the widget in the open event', async () => {
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

  it('throws if a listener is not a function', () => {
    make(createChunks())
    expect(() => handle.on('auth', undefined as never)).toThrow(TypeError)
    expect(() => handle.on('auth', {} as never)).toThrow('function')
  })

  it('throws and opens nothing if a message has no text', async () => {
    const chunks = createChunks()
    make(chunks)
    await handle.auth.contacts.login({ token })
    chunks.refuses = true
    expect(() => handle.message(undefined as never)).toThrow(TypeError)
    await settle()
    expect(chunks.calls.map(([name]) => name)).toEqual(['login'])
  })

  it('throws for an invalid message before the core is loaded, and does not open', async () => {
    const chunks = createChunks()
    make(chunks)
    expect(() => handle.message(undefined as never)).toThrow(TypeError)
    await settle()
    expect(chunks.calls).toEqual([])
  })

  it('accepts an invalid language', () => {
    make(createChunks())
    for (const tag of [undefined, 5, {}]) expect(() => handle.setLocale(tag as never)).not.toThrow()
  })

  it('logs out after destroy(): deletes the session immediately, and revokes the token with a new core', async () => {
    const chunks = createChunks()
    make(chunks)
    await handle.auth.contacts.login({ token })
    handle.destroy()
    storeToken()
    const logout = handle.auth.contacts.logout()
    expect(storedIdentity()).toMatchObject({ reason: 'logout', token: null })
    await logout
    expect(chunks.calls.at(-1)).toMatchObject(['finishLogout', { botId: 'bot' }, [token, token]])
  })

  it('revokes a token that was only in memory at a logout after destroy()', async () => {
    const chunks = createChunks()
    make(chunks, { persist: 'memory' })
    await handle.auth.contacts.login({ token })
    handle.destroy()
    await handle.auth.contacts.logout()
    expect(chunks.calls.at(-1)).toMatchObject(['finishLogout', { persist: 'memory' }, [token, '']])
  })

  it('never rejects a logout, even after destroy() with a core that cannot be loaded', async () => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    handle.destroy()
    await expect(handle.auth.contacts.logout()).resolves.toBeUndefined()
  })

  it('ends the session and removes the launcher even if unmounting the panel throws', async () => {
    const chunks = createChunks()
    chunks.panel = async () => ({
      mountPanel: () => () => {
        throw new Error('mistake')
      },
    })
    make(chunks)
    await handle.preload()
    expect(() => handle.destroy()).toThrow('mistake')
    expect([chunks.calls, hosts()]).toEqual([[['destroy']], []])
  })

  it('revokes the token if the page logs out and destroys the widget before the core is loaded', async () => {
    const chunks = createChunks()
    const release = holdChunk(chunks, 'core')
    storeToken()
    make(chunks)
    await handle.ready
    const logout = handle.auth.contacts.logout()
    handle.destroy()
    release()
    await logout
    expect(chunks.calls).toMatchObject([['finishLogout', { botId: 'bot' }, [token]]])
  })

  it('mounts no panel that was still loading when the page destroyed the widget', async () => {
    const chunks = createChunks()
    const release = holdChunk(chunks, 'panel')
    make(chunks)
    const errors = vi.fn()
    handle.on('error', errors)
    await handle.ready
    handle.open()
    await settle()
    handle.destroy()
    release()
    await settle()
    expect(chunks.calls.map(([name]) => name)).toEqual(['destroy'])
    expect(errors).not.toHaveBeenCalled()
  })

  it('rejects a login after destroy() and says why', async () => {
    make(createChunks())
    handle.destroy()
    const login = handle.auth.contacts.login({ token })
    await expect(login).rejects.toMatchObject({ code: 'destroyed', message: 'Natter was destroyed' })
    await expect(handle.preload()).rejects.toMatchObject({ code: 'destroyed' })
  })

  it('calls its onDestroy callback once', () => {
    const ended = vi.fn()
    make(createChunks(), {}, ended)
    handle.destroy()
    handle.destroy()
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('loads core and panel on preload(), without requests or stored data', async () => {
    const chunks = createChunks()
    make(chunks)
    await handle.preload()
    expect([chunks.calls, localStorage.length]).toEqual([[['mount']], 0])
    chunks.fails = true
    handle.destroy()
    make(chunks)
    await expect(handle.preload()).rejects.toMatchObject({ code: 'chunk_failed', cause: expect.any(TypeError) })
  })

  it('says nothing when the network has failed, but names what in the page keeps the chat from loading', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    handle.open()
    await settle()
    expect(warn).not.toHaveBeenCalled()
    vi.spyOn(Object, 'isFrozen').mockReturnValue(true)
    handle.open()
    await settle()
    expect(warn.mock.calls.join()).toContain('has frozen `Object.prototype`')
  })

  it('leaves nothing behind', async () => {
    const added = vi.spyOn(window, 'addEventListener')
    const chunks = createChunks()
    for (let mount = 0; mount < 2; mount++) {
      make(chunks)
      await handle.ready
      handle.open()
      await settle()
      handle.destroy()
    }
    expect(hosts()).toEqual([])
    const ends = added.mock.calls.map(([, , options]) => (options as AddEventListenerOptions).signal?.aborted)
    expect(ends.length).toBeGreaterThan(0)
    expect(new Set(ends)).toEqual(new Set([true]))
    expect(chunks.calls.filter(([name]) => name === 'destroy')).toHaveLength(2)
    await expect(handle.auth.contacts.login({ token })).rejects.toMatchObject({ code: 'destroyed' })
    await expect(handle.auth.contacts.logout()).resolves.toBeUndefined()
    handle.open()
    handle.show()
    handle.destroy()
    expect(hosts()).toEqual([])
  })
})
