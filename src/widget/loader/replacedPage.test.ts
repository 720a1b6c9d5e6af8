import { expect, it } from 'vitest'
import { createChunks } from '../testing/fakeChunks.ts'
import { handle, hosts, make, settle, token } from '../testing/testHandle.ts'

const replaceBody = () => document.body.replaceWith(document.createElement('body'))

it('the launcher moves to a body that replaces the old one, and stays hidden if the page has hidden it', async () => {
  make(createChunks())
  await handle.ready
  for (const isHidden of [false, true]) {
    if (isHidden) handle.hide()
    replaceBody()
    await settle()
    expect(hosts().map(({ hidden, parentNode }) => [hidden, parentNode])).toEqual([[isHidden, document.body]])
  }
})

it('nothing is shown in a document that replaces the page’s, and a logout revokes the token that was only in memory', async () => {
  const chunks = createChunks()
  make(chunks, { persist: 'memory' })
  await handle.auth.contacts.login({ token })
  const html = document.createElement('html')
  html.append(document.createElement('head'), document.createElement('body'))
  document.documentElement.remove()
  document.append(html)
  await settle()
  handle.open()
  await settle()
  expect(hosts()).toEqual([])
  await handle.auth.contacts.logout()
  expect(chunks.calls.at(-1)).toEqual(['logout'])
})
