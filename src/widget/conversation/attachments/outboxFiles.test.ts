import { describe, expect, it } from 'vitest'
import type { Attachment } from '../../../contract/index.ts'
import { settle } from '../../testing/fakeClock.ts'
import { problem } from '../../testing/fakePlatform.ts'
import { filesOf, loadModel, signIn, textFile } from '../../testing/fileFixtures.ts'
import { ada, adaToken, contactToken, createAcme, createMemoryUpdate, graceToken } from '../../testing/fixtures.ts'

describe('a message with files', () => {
  it('that is refused because the uploads have gone is sent with new ones', async () => {
    const { platform, conversation, model, said, send, uploads } = await signIn()
    model.add([textFile('a.txt')])
    await settle()
    platform.files.stored.clear()
    send('See this')
    await settle()
    expect([filesOf(said(adaToken)), uploads().length]).toEqual([['a.txt'], 2])
    expect(conversation.outbox.pending.value).toEqual([])
  })

  it('that is refused again fails, and uploads once more on a retry', async () => {
    const { platform, conversation, model, said, send, uploads } = await signIn()
    model.add([textFile('a.txt')])
    await settle()
    platform.intercept = (method, path) =>
      method === 'POST' && path === '/messages' ? problem(400, 'invalid_request') : undefined
    send('See this')
    await settle()
    expect(conversation.outbox.pending.value).toMatchObject([{ status: 'failed', failure: 'rejected' }])
    expect(platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages')).toHaveLength(2)
    platform.intercept = () => undefined
    conversation.outbox.retry(conversation.outbox.pending.value[0]?.id ?? '')
    await settle()
    expect([filesOf(said(adaToken)), uploads().length]).toEqual([['a.txt'], 3])
  })

  it('uploads again what has waited for almost an hour', async () => {
    const { platform, model, said, send, browser, uploads } = await signIn()
    model.add([textFile('a.txt')])
    await settle()
    platform.files.stored.clear()
    await browser.clock.advance(55 * 60_000)
    send('See this')
    await settle()
    expect([filesOf(said(adaToken)), uploads().length]).toEqual([['a.txt'], 2])
  })

  it.each(['before the message is sent', 'while it is being sent'])(
    'uploads again what was uploaded with a token that is renewed %s',
    async when => {
      const next = contactToken('c')
      const { platform, model, said, send, browser, conversation } = await signIn({ refreshToken: async () => next })
      platform.addContact(next, ada)
      model.add([textFile('a.txt')])
      await settle()
      if (when.startsWith('before')) platform.end(adaToken, 'expired')
      else Object.assign(platform.sessions.get(adaToken) ?? {}, { ended: 'expired' })
      if (when.startsWith('before')) await browser.clock.advance(3000)
      send('See this')
      await browser.clock.advance(3000)
      expect([filesOf(said(next)), browser.token()]).toEqual([['a.txt'], next])
      expect(conversation.outbox.pending.value).toEqual([])
    },
  )

  it('is uploaded once if the token is renewed during the upload', async () => {
    const next = contactToken('c')
    const { platform, model, said, send, browser, uploads } = await signIn({ refreshToken: async () => next })
    platform.addContact(next, ada)
    Object.assign(platform.sessions.get(adaToken) ?? {}, { ended: 'expired' })
    model.add([textFile('a.txt')])
    await browser.clock.advance(3000)
    send('See this')
    await browser.clock.advance(3000)
    expect([filesOf(said(next)), uploads().map(({ token }) => token)]).toEqual([['a.txt'], [adaToken, next]])
  })

  it('fails if the code of files cannot be fetched for minutes, and later messages are sent then', async () => {
    const { browser, said } = createAcme()
    const before = browser.openTab({ start: false })
    await before.core.login(adaToken)
    const model = await loadModel(before)
    before.setOnline(false)
    model.add([textFile('a.txt')])
    before.core.models.conversation.outbox.send('See this', { files: model.takeDraft() })
    await settle()
    before.core.destroy()
    before.life.die()
    let canLoadFiles = false
    const { core, events } = browser.openTab({ canLoadFiles: () => canLoadFiles })
    const { outbox } = core.models.conversation
    await browser.clock.advance(1000)
    outbox.send('Hello?')
    const texts = () => said(adaToken).map(({ text }) => text)
    await browser.clock.advance(5000)
    expect(texts()).toEqual(['Dear Ada'])
    expect(outbox.pending.value).toMatchObject([{ text: 'See this', status: 'waiting' }, { text: 'Hello?' }])
    await browser.clock.advance(600_000)
    expect(outbox.pending.value).toMatchObject([{ text: 'See this', status: 'failed', failure: 'network' }])
    expect(events).toContainEqual(['error', { code: 'message_failed' }])
    expect(texts()).toEqual(['Dear Ada', 'Hello?'])
    canLoadFiles = true
    outbox.retry(outbox.pending.value[0]?.id ?? '')
    await browser.clock.advance(1000)
    expect(texts()).toEqual(['Dear Ada', 'Hello?', 'See this'])
    expect(filesOf(said(adaToken))).toEqual(['a.txt'])
  })

  it('is sent as soon as the code of files can be fetched, once, and in order', async () => {
    const { browser, said } = createAcme()
    let canLoadFiles = true
    const tab = browser.openTab({ start: false, canLoadFiles: () => canLoadFiles })
    await tab.core.login(adaToken)
    const file = { id: '00000000-0000-4000-8000-00000000f11e', name: 'a.txt', type: '', size: 1 }
    browser.records.set(`file:${file.id}`, textFile('a.txt'))
    canLoadFiles = false
    const { outbox } = tab.core.models.conversation
    outbox.send('See this', { files: [file] })
    outbox.send('Hello?')
    await browser.clock.advance(2000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada'])
    canLoadFiles = true
    await browser.clock.advance(60_000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'See this', 'Hello?'])
    expect([filesOf(said(adaToken)), outbox.pending.value]).toEqual([['a.txt'], []])
  })

  it('takes other ids if another session has used them', async () => {
    const { platform, model, said, send, tab } = await signIn()
    model.add([textFile('a.txt')])
    await settle()
    const second = 'c:'.padEnd(66, '9')
    platform.addContact(second, { id: 'ada', name: 'Ada Lovelace' })
    tab.setOnline(false)
    send('See this')
    await settle()
    tab.setOnline(true)
    await tab.core.login(second)
    await settle()
    expect(filesOf(said(second))).toEqual(['a.txt'])
  })

  it('survives a reload while offline, and is sent once', async () => {
    const { browser, tab, model, said, send } = await signIn()
    tab.setOnline(false)
    model.add([textFile('a.txt')])
    send('See this')
    await settle()
    expect([...browser.records.keys()].filter(key => key.startsWith('file:'))).toHaveLength(1)
    tab.core.destroy()
    tab.life.die()
    browser.openTab()
    await browser.clock.advance(1000)
    expect(said(adaToken).filter(({ text }) => text === 'See this')).toHaveLength(1)
    expect(filesOf(said(adaToken))).toEqual(['a.txt'])
    expect([...browser.records.keys()].filter(key => key.startsWith('file:'))).toEqual([])
  })

  it('keeps its text if there is no room for its files, and says after a reload that it was not sent', async () => {
    const { browser, platform, said } = createAcme()
    const update = createMemoryUpdate(browser.records)
    const tab = browser.openTab({
      start: false,
      update: (keys, change) =>
        update(keys, (...found) => {
          const changes = change(...found)
          if (Object.values(changes).some(record => record instanceof Blob))
            throw new DOMException('', 'QuotaExceededError')
          return changes
        }),
    })
    await tab.core.login(adaToken)
    tab.setOnline(false)
    const model = await loadModel(tab)
    model.add([textFile('a.txt')])
    tab.core.models.conversation.outbox.send('See this', { files: model.takeDraft() })
    await settle()
    tab.core.destroy()
    tab.life.die()
    const next = browser.openTab()
    await browser.clock.advance(30_000)
    expect(next.core.models.conversation.outbox.pending.value).toMatchObject([
      { text: 'See this', files: [{ name: 'a.txt' }], status: 'failed', failure: 'rejected' },
    ])
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada'])
    expect(platform.log.filter(({ method }) => method === 'PUT')).toEqual([])
  })

  it('leaves the memory when the organization removes it', async () => {
    const { platform, model, said, send, tab } = await signIn()
    model.add([textFile('a.txt')])
    send('See this')
    await settle()
    const messages = said(adaToken)
    const own = messages.at(-1)?.attachments?.[0] as Attachment
    const letter = platform.files.add('letter', 'letter.txt', new TextEncoder().encode('Dear Ada'))
    const answer = platform.say(messages, { author: 'agent', attachments: [letter] })
    await settle()
    const downloads = () => platform.log.filter(({ path }) => path.endsWith('/download')).length
    for (const file of [own, letter]) expect((await model.load(file))?.size).toBe(file.size)
    for (const file of [own, letter]) expect((await model.load(file))?.size).toBe(file.size)
    expect(downloads()).toBe(1)
    platform.remove(messages, answer.seq)
    platform.remove(messages, answer.seq - 1)
    await settle()
    expect(tab.core.models.conversation.messageStore.messages.value.at(-1)?.removedAt).toBeDefined()
    platform.files.stored.clear()
    for (const file of [own, letter]) expect(await model.load(file)).toBeUndefined()
    expect(downloads()).toBe(3)
  })

  it('is deleted on the platform and in memory when the visitor deletes the message', async () => {
    const { platform, conversation, model, send } = await signIn()
    platform.intercept = (method, path) =>
      method === 'POST' && path === '/messages' ? problem(400, 'invalid_request') : undefined
    model.add([textFile('a.txt')])
    send('See this')
    await settle()
    const [failed] = conversation.outbox.pending.value
    expect([failed?.status, platform.files.stored.size]).toEqual(['failed', 1])
    conversation.outbox.remove(failed?.id ?? '')
    await settle()
    expect(platform.files.stored.size).toBe(0)
    expect(model.uploads.blobsOf(failed?.files ?? []).size).toBe(0)
  })

  it.each(['logout', 'another login'])('leaves nothing behind on %s', async how => {
    const { browser, tab, model, send, conversation } = await signIn()
    tab.setOnline(false)
    model.add([textFile('sent.txt')])
    send('See this')
    model.add([textFile('draft.txt')])
    await settle()
    tab.setOnline(true)
    if (how === 'logout') await tab.core.logout()
    else await tab.core.login(graceToken)
    await settle()
    expect([...browser.records.keys()].filter(key => key.startsWith('file:'))).toEqual([])
    expect([model.draft.value, conversation.outbox.pending.value]).toEqual([[], []])
    expect(model.uploads.blobsOf([{ id: 'x', name: '', type: '', size: 1 }]).size).toBe(0)
  })

  it('is erased when the next page load begins another session, if the page was left before', async () => {
    const { browser, tab, model, send } = await signIn()
    tab.setOnline(false)
    model.add([textFile('a.txt')])
    send('See this')
    await settle()
    tab.life.die()
    browser.storeEpoch('logout')
    browser.openTab()
    await settle()
    expect([...browser.records.keys()].filter(key => key.startsWith('file:'))).toEqual([])
  })
})
