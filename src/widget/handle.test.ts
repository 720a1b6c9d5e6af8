import { describe, expect, it, vi } from 'vitest'
import { createStages } from './fakeStages.ts'
import { handle, hosts, make, root, settle, token } from './testingHandle.ts'

const launcher = () => root().querySelector('[part=launcher]') as HTMLButtonElement
const key = (name: string) => `natter:bot:${name}`

describe('the widget before anything is fetched', () => {
  it('shows a launcher, asks for nothing and stores nothing', async () => {
    const stages = createStages()
    const ready = vi.fn()
    make(stages).on('ready', ready)
    await handle.ready
    await vi.runAllTimersAsync()
    expect(launcher().getAttribute('aria-label')).toBe('Chat')
    expect(launcher().getAttribute('aria-expanded')).toBe('false')
    expect([stages.asked, localStorage.length, ready.mock.calls.length]).toEqual([0, 0, 1])
    expect(root().querySelectorAll('[style]')).toHaveLength(0)
  })

  it("says its texts in the site's words", async () => {
    make(createStages(), { strings: { chat: 'Hilfe' } })
    await handle.ready
    expect(launcher().getAttribute('aria-label')).toBe('Hilfe')
  })

  it("speaks the page's language, else the browser's, or the one it is told, before anything is fetched", async () => {
    const stages = createStages()
    const nameWith = async (lang: string, options = {}) => {
      document.documentElement.lang = lang
      make(stages, options)
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
    expect(stages.asked).toBe(0)
  })

  it('tells the core its language, and every later one', async () => {
    const stages = createStages()
    make(stages, { locale: 'de' })
    handle.open()
    await settle()
    handle.setLocale('fr')
    expect(stages.calls).toContainEqual(['setLocale', 'fr'])
  })

  it('restores a stored session when the page has settled, or when another tab logs in', async () => {
    for (const event of [undefined, 'storage', 'pageshow']) {
      const stages = createStages()
      if (!event) localStorage.setItem(key('token'), token)
      make(stages)
      await handle.ready
      expect(handle.auth.state).toBe(event ? 'anonymous' : 'identifying')
      localStorage.setItem(key('token'), token)
      if (event) window.dispatchEvent(new Event(event))
      await vi.runAllTimersAsync()
      expect(stages.calls).toEqual([['start']])
      expect([handle.auth.state, handle.auth.contacts.current?.name]).toEqual(['identified', 'Ada'])
      handle.destroy()
      localStorage.clear()
    }
  })

  it('keeps calls and answers them in order; a login makes restoring needless', async () => {
    const stages = createStages()
    make(stages)
    const login = handle.auth.contacts.login({ token })
    handle.message({ text: 'Hello', prefill: 'and' })
    await expect(login).resolves.toEqual({ contact: { id: 'ada', name: 'Ada' } })
    await settle()
    expect(stages.calls.map(([name]) => name)).toEqual(['login', 'message', 'mount', 'setOpen'])
  })

  it('logs out at once, also when nothing can be fetched', async () => {
    const stages = createStages()
    stages.fails = true
    localStorage.setItem(key('token'), token)
    localStorage.setItem(key('epoch'), '7 login')
    make(stages)
    const logout = handle.auth.contacts.logout()
    expect(localStorage.getItem(key('token'))).toBe('-')
    expect(localStorage.getItem(key('epoch'))).toMatch(/^\d{16} logout$/)
    await expect(logout).resolves.toBeUndefined()
    // What else is stored can be erased by the core only: it is started as soon as it can be had.
    stages.fails = false
    handle.open()
    await settle()
    expect(stages.calls).toContainEqual(['start'])
  })

  it('forgets the person before where a login can not be made', async () => {
    const stages = createStages()
    stages.fails = true
    localStorage.setItem(key('token'), token)
    make(stages)
    await expect(handle.auth.contacts.login({ token: `c:${'b'.repeat(64)}` })).rejects.toMatchObject({
      code: 'chunk_failed',
    })
    expect(localStorage.getItem(key('token'))).toBe('-')
    stages.fails = false
    handle.open()
    await settle()
    expect(stages.calls).toContainEqual(['start'])
  })

  it('fetches the core for what an earlier page had no time to erase', async () => {
    const stages = createStages()
    localStorage.setItem(key('token'), '-')
    make(stages)
    await vi.waitFor(() => expect(stages.calls).toEqual([['start']]))
  })

  it('hands the token that is to be revoked to the core', async () => {
    const stages = createStages()
    localStorage.setItem(key('token'), token)
    make(stages)
    await handle.auth.contacts.logout()
    expect(stages.calls).toEqual([['logout', token]])
  })

  it('does not throw where storage is blocked', async () => {
    const blocked = vi.spyOn(window, 'localStorage', 'get').mockImplementation(() => {
      throw new DOMException('Access is denied', 'SecurityError')
    })
    const stages = createStages()
    make(stages)
    await handle.ready
    await vi.runAllTimersAsync()
    expect([handle.auth.state, stages.asked]).toEqual(['anonymous', 0])
    await handle.auth.contacts.logout()
    blocked.mockRestore()
  })
})

describe('opening', () => {
  it('fetches both stages, mounts the panel once and tells the page', async () => {
    const stages = createStages()
    make(stages)
    const heard: string[] = []
    for (const name of ['open', 'close', 'show', 'hide'] as const) handle.on(name, () => heard.push(name))
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
    expect(stages.calls.map(([name, open]) => open ?? name)).toEqual(['mount', 'start', true, false, true, false])
    expect(heard).toEqual(['open', 'close', 'open', 'close', 'hide', 'show'])
  })

  it('is ready when the pointer or the focus comes, and begins nothing', async () => {
    for (const event of ['pointerenter', 'focus']) {
      const stages = createStages()
      make(stages)
      await handle.ready
      stages.fails = true
      launcher().dispatchEvent(new Event(event))
      await settle()
      expect(root().querySelector('[role=alert]')).toBeNull()
      stages.fails = false
      launcher().dispatchEvent(new Event(event))
      await settle()
      expect([stages.asked, stages.calls, localStorage.length]).toEqual([2, [['mount']], 0])
      expect(launcher().getAttribute('aria-expanded')).toBe('false')
      handle.destroy()
    }
  })

  it('says when a part could not be loaded, and tries again', async () => {
    const stages = createStages()
    stages.fails = true
    make(stages)
    const errors: unknown[] = []
    handle.on('error', error => errors.push(error))
    await handle.ready
    handle.open()
    await settle()
    const words = 'Chat could not be loaded. Retry'
    expect(root().querySelector('[role=alert]')?.textContent).toBe(words)
    expect(launcher().getAttribute('aria-label')).toBe(words)
    expect([errors, launcher().getAttribute('aria-expanded')]).toEqual([[{ code: 'chunk_failed' }], 'false'])
    const login = handle.auth.contacts.login({ token })
    await expect(login).rejects.toMatchObject({ code: 'chunk_failed' })
    stages.fails = false
    launcher().click()
    expect(launcher().getAttribute('aria-label')).toBe('Chat')
    await settle()
    expect(root().querySelector('[role=alert]')).toBeNull()
    expect(stages.calls.at(-1)).toEqual(['setOpen', true])
  })

  it('puts the widget back where the page has thrown it out', async () => {
    make(createStages())
    await handle.ready
    hosts()[0]?.remove()
    handle.open()
    expect(hosts()).toHaveLength(1)
  })

  it('counts unread messages on the launcher, and in its name', async () => {
    const stages = createStages()
    make(stages)
    await handle.ready
    handle.open()
    await settle()
    handle.close()
    stages.emit('unread', { count: 120 })
    // Its words come with the core.
    expect(launcher().getAttribute('aria-label')).toBe('Chat, 120 unread')
    expect(launcher().textContent).toBe('99+')
    stages.emit('unread', { count: 0 })
    expect(launcher().getAttribute('aria-label')).toBe('Chat')
  })
})
