import { describe, expect, it, vi } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { handle, hosts, make, root, settle, storeToken, token } from '../testing/testHandle.ts'

const launcher = () => root().querySelector('[part=launcher]') as HTMLButtonElement
const alert = () => root().querySelector('.layer > [role=alert]') as HTMLElement

describe('the widget before any chunk is loaded', () => {
  it('shows a launcher, requests nothing and stores nothing', async () => {
    const chunks = createChunks()
    const ready = vi.fn()
    make(chunks).on('ready', ready)
    await handle.ready
    await vi.runAllTimersAsync()
    expect(launcher().getAttribute('aria-label')).toBe('Chat')
    expect(launcher().getAttribute('aria-expanded')).toBe('false')
    expect([chunks.asked, localStorage.length, ready.mock.calls.length]).toEqual([0, 0, 1])
    expect(root().querySelectorAll('[style]')).toHaveLength(0)
  })

  it("uses the site's own strings", async () => {
    make(createChunks(), { strings: { chat: 'Hilfe' } })
    await handle.ready
    expect(launcher().getAttribute('aria-label')).toBe('Hilfe')
  })

  it("uses the option's language, or the page's, or the browser's, before any chunk is loaded", async () => {
    const chunks = createChunks()
    const nameWith = async (lang: string, options = {}) => {
      document.documentElement.lang = lang
      make(chunks, options)
      document.documentElement.lang = ''
      await handle.ready
      return launcher().getAttribute('aria-label')
    }
    expect(await nameWith('ar-EG')).toBe('دردشة')
    handle.setLocale('ja')
    expect(launcher().getAttribute('aria-label')).toBe('チャット')
    handle.destroy()
    const language = vi.spyOn(navigator, 'language', 'get').mockReturnValue('uk')
    expect(await nameWith('')).toBe('Чат')
    language.mockRestore()
    handle.destroy()
    expect(await nameWith('ko', { locale: 'pt_BR' })).toBe('Chat')
    expect(chunks.asked).toBe(0)
  })

  it('passes its language and every later one to the core', async () => {
    const chunks = createChunks()
    make(chunks, { locale: 'de' })
    handle.open()
    await settle()
    handle.setLocale('fr')
    expect(chunks.calls).toContainEqual(['setLocale', 'fr'])
  })

  it('restores a stored session when the page is idle, or when another tab or another widget of the page logs in', async () => {
    for (const event of [undefined, 'storage', 'natter:auth', 'pageshow']) {
      const chunks = createChunks()
      if (!event) storeToken()
      make(chunks)
      await handle.ready
      expect(handle.auth.state).toBe(event ? 'anonymous' : 'identifying')
      storeToken()
      if (event) window.dispatchEvent(new Event(event))
      await vi.runAllTimersAsync()
      expect(chunks.calls).toEqual([['start']])
      expect([handle.auth.state, handle.auth.contacts.current?.name]).toEqual(['identified', 'Ada'])
      handle.destroy()
      localStorage.clear()
    }
  })

  it('does not throw if storage is blocked', async () => {
    const blocked = vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
      throw new DOMException('Access is denied', 'SecurityError')
    })
    const chunks = createChunks()
    make(chunks)
    await handle.ready
    await vi.runAllTimersAsync()
    expect([handle.auth.state, chunks.asked]).toEqual(['anonymous', 0])
    await handle.auth.contacts.logout()
    blocked.mockRestore()
  })
})

describe('opening', () => {
  it('loads both chunks, mounts the panel once and emits events', async () => {
    const chunks = createChunks()
    make(chunks)
    const events: string[] = []
    for (const name of ['open', 'close', 'show', 'hide'] as const) handle.on(name, () => events.push(name))
    await handle.ready
    launcher().click()
    expect(launcher().getAttribute('aria-expanded')).toBe('true')
    await settle()
    launcher().click()
    handle.toggle()
    await settle()
    handle.hide()
    expect(hosts()[0]?.hidden).toBe(true)
    handle.show()
    expect(chunks.calls.map(([name, open]) => open ?? name)).toEqual(['mount', 'start', true, false, true, false])
    expect(events).toEqual(['open', 'close', 'open', 'close', 'hide', 'show'])
  })

  it('loads the panel when the pointer or the focus reaches the launcher or presses it, and starts no session', async () => {
    for (const event of ['pointerenter', 'pointerdown', 'focus']) {
      const chunks = createChunks()
      make(chunks)
      await handle.ready
      chunks.fails = true
      launcher().dispatchEvent(new Event(event))
      await settle()
      expect(alert().textContent).toBe('')
      chunks.fails = false
      launcher().dispatchEvent(new Event(event))
      await settle()
      expect([chunks.asked, chunks.calls, localStorage.length]).toEqual([2, [['mount']], 0])
      expect(launcher().getAttribute('aria-expanded')).toBe('false')
      handle.destroy()
    }
  })

  it('reports a chunk that could not be loaded, and retries', async () => {
    const chunks = createChunks()
    chunks.fails = true
    make(chunks)
    const errors: unknown[] = []
    handle.on('error', error => errors.push(error))
    await handle.ready
    handle.open()
    await settle()
    const label = 'Couldn’t load the chat. Retry'
    expect(alert().textContent).toBe(label)
    expect(launcher().textContent).toBe(label)
    expect(launcher().getAttribute('aria-label')).toBe(label)
    expect([errors, launcher().getAttribute('aria-expanded')]).toEqual([[{ code: 'chunk_failed' }], 'false'])
    const login = handle.auth.contacts.login({ token })
    await expect(login).rejects.toMatchObject({ code: 'chunk_failed' })
    chunks.fails = false
    launcher().click()
    expect(launcher().getAttribute('aria-label')).toBe('Chat')
    await settle()
    expect([alert().textContent, launcher().textContent]).toEqual(['', ''])
    expect(chunks.calls.at(-1)).toEqual(['setOpen', true])
  })

  it('adds the widget again if the page has removed it', async () => {
    make(createChunks())
    await handle.ready
    hosts()[0]?.remove()
    handle.open()
    expect(hosts()).toHaveLength(1)
  })
})
