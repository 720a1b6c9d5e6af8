import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestCli, type TestCli } from '../testing/testCli.ts'

let cli: TestCli
let id: string
beforeEach(async () => {
  cli = createTestCli()
  const [organization = ''] = await cli.natter('org', 'create', '--name', 'Acme')
  const created = await cli.json('bot', 'create', '--organization', organization, '--name', 'Shop')
  id = String(created['id'])
})
afterEach(() => cli.remove())

const update = (...args: string[]) => cli.json('bot', 'update', id, ...args)
const events = async () => (await cli.inspectStore(store => store.findBot(id)))?.events

describe('the events webhook of a bot', () => {
  it('keeps its secret when the URL changes, and loses it with none', async () => {
    const { eventsSecret } = await update('--events-url', 'https://a.example/')
    expect(await update('--events-url', 'https://b.example/')).toEqual({ id })
    expect(await events()).toEqual({ url: 'https://b.example/', secret: eventsSecret })
    await update('--events-url', 'none')
    expect(await events()).toBeNull()
  })

  it('gets the messages of all authors, or of visitors only', async () => {
    await expect(update('--events-authors', 'all')).rejects.toThrow(/--events-authors needs an address.*--events-url/)
    const { eventsSecret } = await update('--events-url', 'https://a.example/', '--events-authors', 'all')
    expect(await update('--events-url', 'https://b.example/')).toEqual({ id })
    expect(await events()).toEqual({ url: 'https://b.example/', secret: eventsSecret, authors: 'all' })
    expect(await cli.natter('bot', 'show', id)).toContain('events-authors\tall')
    await update('--events-authors', 'visitors')
    expect(await events()).toEqual({ url: 'https://b.example/', secret: eventsSecret })
    expect(await cli.json('bot', 'show', id)).toMatchObject({ eventsAuthors: 'visitors' })
    const removed = update('--events-url', 'none', '--events-authors', 'all')
    await expect(removed).rejects.toThrow(/--events-authors needs an address/)
  })
})
