import { expect, it, vi } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { handle, hosts, make, root, settle, storeToken, token } from '../testing/testHandle.ts'

const replaceBody = () => document.body.replaceWith(document.createElement('body'))
function replaceDocument() {
  const html = document.createElement('html')
  html.append(document.createElement('head'), document.createElement('body'))
  document.documentElement.remove()
  document.append(html)
}

it('the launcher moves to a body that replaces the old one', async () => {
  make(createChunks())
  await handle.ready
  replaceBody()
  await settle()
  expect(hosts()).toHaveLength(1)
  expect(document.body.contains(hosts()[0] as Node)).toBe(true)
})

it('a launcher that the page has hidden stays hidden in another body and in another document', async () => {
  make(createChunks())
  await handle.ready
  handle.hide()
  for (const replace of [replaceBody, replaceDocument]) {
    replace()
    await settle()
    expect(hosts().map(({ hidden }) => hidden)).toEqual([true])
  }
})

it('the widget works and follows other tabs after the page has replaced its document', async () => {
  const chunks = createChunks()
  make(chunks)
  await handle.ready
  handle.open()
  await settle()
  replaceDocument()
  await settle()
  expect(chunks.calls.at(-1)).toEqual(['destroy'])
  expect(hosts()).toHaveLength(1)
  chunks.calls.length = 0
  root().querySelector<HTMLElement>('[part=launcher]')?.click()
  await settle()
  expect(chunks.calls.map(([name]) => name)).toEqual(['mount', 'start', 'setOpen'])
  handle.destroy()
  const added = vi.spyOn(window, 'addEventListener')
  make(chunks)
  await handle.ready
  replaceDocument()
  await settle()
  expect(added.mock.calls.filter(([name]) => name === 'storage')).toHaveLength(2)
  storeToken()
  window.dispatchEvent(new Event('storage'))
  await settle()
  expect(chunks.calls).toContainEqual(['start'])
})

it('a logout revokes the token that was only in the memory of the document that the page has replaced', async () => {
  for (const isLoaded of [false, true]) {
    const chunks = createChunks()
    make(chunks, { persist: 'memory' })
    await handle.auth.contacts.login({ token })
    replaceDocument()
    await settle()
    if (isLoaded) await handle.preload()
    await handle.auth.contacts.logout()
    expect(chunks.calls.at(-1)).toMatchObject(
      isLoaded ? ['logout', token] : ['finishLogout', { persist: 'memory' }, ['', token]],
    )
    handle.destroy()
  }
})

it('what the page has said with setContext() is still known after it has replaced its document', async () => {
  const chunks = createChunks()
  make(chunks)
  await handle.ready
  handle.setContext({ plan: 'pro' })
  replaceDocument()
  await settle()
  handle.open()
  await settle()
  expect(chunks.settings()?.context?.attributes).toEqual({ plan: 'pro' })
})

it('a login that can’t be made forgets what the page has said only where it forgets the session that it replaces', async () => {
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

it('a message that was waiting for the core is sent when the chat is opened in another document', async () => {
  const chunks = createChunks()
  chunks.fails = true
  make(chunks)
  handle.message({ text: 'Hello' })
  await settle()
  replaceDocument()
  await settle()
  chunks.fails = false
  handle.open()
  await settle()
  expect(chunks.calls.filter(([name]) => name === 'message')).toEqual([['message', { text: 'Hello' }]])
})
