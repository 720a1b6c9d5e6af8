import { describe, expect, it, vi } from 'vitest'
import { storageKey, stringifyIdentity } from '../identity/storedIdentity.ts'
import { createChunks, holdChunk } from '../testing/fakeChunks.ts'
import { laterEpoch } from '../testing/laterEpoch.ts'
import { handle, make, settle, storedIdentity, storeToken, token } from '../testing/testHandle.ts'

/** Makes a handle in a page with a stored token, where no chunk can be loaded. */
function makeWithoutChunks() {
  const chunks = createChunks()
  chunks.fails = true
  storeToken()
  make(chunks)
  return chunks
}

describe('the handle before the core is loaded', () => {
  it('queues calls and replays them in order; after a login, no session is restored', async () => {
    const chunks = createChunks()
    make(chunks)
    const login = handle.auth.contacts.login({ token })
    handle.message({ text: 'Hello', prefill: 'and' })
    await expect(login).resolves.toEqual({ contact: { id: 'ada', name: 'Ada' } })
    await settle()
    expect(chunks.calls.map(([name]) => name)).toEqual(['login', 'message', 'mount', 'setOpen'])
  })

  it('logs out immediately, even if no chunk can be loaded', async () => {
    const chunks = makeWithoutChunks()
    const logout = handle.auth.contacts.logout()
    expect(storedIdentity()).toMatchObject({ reason: 'logout', token: null })
    await expect(logout).resolves.toBeUndefined()
    // Only the core can delete the other stored data, so it starts as soon as it can be loaded.
    chunks.fails = false
    handle.open()
    await settle()
    expect(chunks.calls).toContainEqual(['start'])
  })

  it('deletes the previous session if a login cannot be attempted', async () => {
    const chunks = makeWithoutChunks()
    await expect(handle.auth.contacts.login({ token: `c:${'b'.repeat(64)}` })).rejects.toMatchObject({
      code: 'chunk_failed',
    })
    expect(storedIdentity().token).toBeNull()
    chunks.fails = false
    handle.open()
    await settle()
    expect(chunks.calls).toContainEqual(['start'])
  })

  it.each([true, false])(
    'ends the previous session if the widget is destroyed before a login is attempted (core loaded later: %s)',
    async isComing => {
      const chunks = createChunks()
      const release = holdChunk(chunks, 'core')
      chunks.fails = !isComing
      storeToken()
      make(chunks)
      await handle.ready
      const login = handle.auth.contacts.login({ token: `c:${'b'.repeat(64)}` })
      handle.message({ text: 'Hello' })
      handle.destroy()
      expect(storedIdentity()).toMatchObject({ reason: 'logout', token: null })
      release()
      await expect(login).rejects.toMatchObject({ code: isComing ? 'destroyed' : 'chunk_failed' })
      await settle()
      expect(chunks.calls).toEqual([])
    },
  )

  it('keeps the session if the widget is destroyed before a login with the stored token is attempted', async () => {
    const chunks = createChunks()
    const release = holdChunk(chunks, 'core')
    storeToken()
    make(chunks)
    const before = storedIdentity()
    const login = handle.auth.contacts.login({ token })
    handle.destroy()
    release()
    await expect(login).rejects.toMatchObject({ code: 'destroyed' })
    expect(storedIdentity()).toEqual(before)
  })

  it('fetches nothing once it is destroyed', async () => {
    const chunks = createChunks()
    make(chunks)
    await handle.ready
    handle.destroy()
    const fetched: string[] = []
    for (const name of ['core', 'panel'] as const) {
      const fetch = chunks[name] as () => Promise<never>
      chunks[name] = () => {
        fetched.push(name)
        return fetch()
      }
    }
    await expect(handle.preload()).rejects.toMatchObject({ code: 'destroyed' })
    await expect(handle.auth.contacts.login({ token })).rejects.toMatchObject({ code: 'destroyed' })
    await handle.auth.refresh().catch(() => {})
    handle.message({ text: 'Hello' })
    handle.open()
    await settle()
    expect(fetched).toEqual([])
  })

  it('keeps the session if a login with the stored token cannot be attempted', async () => {
    const chunks = makeWithoutChunks()
    const before = storedIdentity()
    const heard: unknown[] = []
    handle.on('auth', detail => heard.push(detail))
    await expect(handle.auth.contacts.login({ token })).rejects.toMatchObject({ code: 'chunk_failed' })
    expect([storedIdentity(), heard, handle.auth.state]).toEqual([before, [], 'identifying'])
    chunks.fails = false
    handle.open()
    await settle()
    expect(chunks.calls).toContainEqual(['start'])
  })

  it('loads the core to delete what an earlier page had no time to delete', async () => {
    const chunks = createChunks()
    localStorage.setItem(storageKey('bot', 'workPending'), storedIdentity().epoch || laterEpoch())
    make(chunks)
    await vi.waitFor(() => expect(chunks.calls).toEqual([['start']]), 15_000)
  })

  it('emits an auth event when the page logs out before the core is loaded', async () => {
    for (const endSession of [
      () => handle.auth.contacts.logout(),
      () => handle.auth.contacts.login({ token: `c:${'b'.repeat(64)}` }).catch(() => {}),
    ]) {
      makeWithoutChunks()
      const heard: unknown[] = []
      handle.on('auth', detail => heard.push(detail))
      expect(handle.auth.state).toBe('identifying')
      await endSession()
      expect(handle.auth.state).toBe('anonymous')
      expect(heard).toEqual([{ state: 'anonymous', contact: null, reason: 'logout' }])
      handle.destroy()
      localStorage.clear()
    }
  })

  it('hands the token that is to be revoked to the core', async () => {
    const chunks = createChunks()
    storeToken()
    make(chunks)
    await handle.auth.contacts.logout()
    expect(chunks.calls).toMatchObject([['finishLogout', { botId: 'bot' }, [token]]])
  })

  it('hands that token to the core when the network is back, if it could not be loaded or did not reach the platform', async () => {
    const chunks = makeWithoutChunks()
    await handle.ready
    await handle.auth.contacts.logout()
    chunks.fails = false
    const handOver = async (missed: string[]) => {
      chunks.missed = missed
      dispatchEvent(new Event('online'))
      await settle()
      return chunks.calls.filter(([name]) => name === 'finishLogout').map(([, , tokens]) => tokens)
    }
    expect(await handOver([token])).toEqual([[token]])
    expect(await handOver([])).toEqual([[token], [token]])
    expect(await handOver([])).toHaveLength(2)
  })

  it('hands it over also if the page has called logout() before for nobody', async () => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    await handle.ready
    await handle.auth.contacts.logout()
    // Another tab logs in.
    storeToken()
    await handle.auth.contacts.logout()
    chunks.fails = false
    dispatchEvent(new Event('online'))
    await settle()
    expect(chunks.calls).toContainEqual(['finishLogout', expect.anything(), expect.arrayContaining([token])])
  })

  it.each([true, false])(
    'does not end a login that another tab began after the logout (core loaded later: %s)',
    async isComing => {
      const chunks = createChunks()
      const release = holdChunk(chunks, 'core')
      chunks.fails = !isComing
      storeToken()
      make(chunks)
      await handle.ready
      const login = handle.auth.contacts.login({ token })
      const logout = handle.auth.contacts.logout()
      const next = `c:${'b'.repeat(64)}`
      storeToken(next)
      release()
      await expect(login).rejects.toMatchObject({ code: isComing ? 'superseded' : 'chunk_failed' })
      await logout
      expect(storedIdentity().token).toBe(next)
    },
  )

  it('does not end a login of another tab when its own login cannot be attempted', async () => {
    makeWithoutChunks()
    const next = `c:${'b'.repeat(64)}`
    const login = handle.auth.contacts.login({ token: `c:${'d'.repeat(64)}` })
    storeToken(next)
    await expect(login).rejects.toMatchObject({ code: 'chunk_failed' })
    expect(storedIdentity().token).toBe(next)
  })

  it('drops queued calls when the page logs out', async () => {
    const chunks = createChunks()
    const release = holdChunk(chunks, 'core')
    make(chunks)
    const login = handle.auth.contacts.login({ token })
    handle.message({ text: 'Said before' })
    const logout = handle.auth.contacts.logout()
    handle.message({ text: 'Said after' })
    release()
    await expect(login).rejects.toMatchObject({ code: 'superseded' })
    await logout
    await settle()
    expect(chunks.calls.map(([name]) => name)).not.toContain('login')
    expect(chunks.calls.filter(([name]) => name === 'message')).toEqual([['message', { text: 'Said after' }]])
  })

  it('keeps a message while the core cannot be loaded, and sends it once when the chat is opened after all', async () => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    handle.message({ text: 'First' })
    await settle()
    handle.message({ prefill: 'Second' })
    await settle()
    expect(chunks.calls).toEqual([])
    chunks.fails = false
    // The pointer at the launcher loads the core, and sends nothing.
    await handle.preload()
    expect(chunks.calls).toEqual([['mount']])
    handle.open()
    await settle()
    handle.close()
    handle.open()
    await settle()
    expect(chunks.calls.filter(([name]) => name === 'message')).toEqual([
      ['message', { text: 'First' }],
      ['message', { prefill: 'Second' }],
    ])
  })

  it.each([
    ['logs in', () => storeToken()],
    ['logs somebody else in', () => storeToken(`c:${'b'.repeat(64)}`)],
    [
      'logs in and out again',
      () => {
        storeToken()
        storeToken(null)
      },
    ],
  ])('drops a message that waits for the core if another tab %s meanwhile', async (what, change) => {
    const chunks = createChunks()
    const release = holdChunk(chunks, 'core')
    if (what.includes('else')) storeToken()
    make(chunks)
    await handle.ready
    handle.message({ text: 'Of the visitor before' })
    change()
    handle.message({ text: 'Of the visitor now' })
    release()
    await settle()
    expect(chunks.calls.filter(([name]) => name === 'message')).toEqual([['message', { text: 'Of the visitor now' }]])
  })

  it('sends a message that waits for the core in the first epoch, which another tab has begun meanwhile', async () => {
    const chunks = createChunks()
    const release = holdChunk(chunks, 'core')
    make(chunks)
    handle.message({ text: 'Hello' })
    localStorage.setItem(storageKey('bot', 'identity'), stringifyIdentity(laterEpoch(), 'storage_reset'))
    release()
    await settle()
    expect(chunks.calls).toContainEqual(['message', { text: 'Hello' }])
  })

  it('sends a kept message before the next one', async () => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    handle.message({ text: 'First' })
    await settle()
    chunks.fails = false
    handle.message({ text: 'Second' })
    await settle()
    expect(chunks.calls.map(([name, message]) => message ?? name)).toEqual([
      'start',
      { text: 'First' },
      { text: 'Second' },
      'mount',
      true,
    ])
  })

  it('sends a kept message before the site is asked who has signed in since', async () => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    handle.message({ text: 'Of the visitor before' })
    await settle()
    chunks.fails = false
    await handle.auth.refresh()
    expect(chunks.calls).toEqual([['start'], ['message', { text: 'Of the visitor before' }], ['refreshSignIn']])
  })

  it.each([
    ['a login', () => handle.auth.contacts.login({ token }).catch(() => {})],
    ['a logout', () => handle.auth.contacts.logout()],
    ["another tab's login", async () => storeToken()],
  ])('drops a message that was kept for whoever was here before %s', async (_, changeVisitor) => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    handle.message({ text: 'Of the visitor before' })
    await settle()
    await changeVisitor()
    chunks.fails = false
    handle.open()
    await settle()
    expect(chunks.calls.map(([name]) => name)).toEqual(['mount', 'start', 'setOpen'])
  })

  it('forgets what the page has said only if a login that cannot be made ends the session that it replaces', async () => {
    const chunks = createChunks()
    storeToken(token)
    make(chunks)
    handle.setContext({ plan: 'pro' })
    chunks.fails = true
    const login = handle.auth.contacts.login({ token }).catch(() => {})
    storeToken(`c:${'b'.repeat(64)}`)
    await login
    chunks.fails = false
    handle.open()
    await settle()
    expect(chunks.settings()?.context?.attributes).toEqual({ plan: 'pro' })
  })
})
