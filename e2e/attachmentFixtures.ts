import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Message } from 'natter/contract'
import { createClient } from 'natter/sdk'
import { test as base, Chat, expect } from './fixtures.ts'
import type { TestFile } from './testFiles.ts'

export { expect }

/** The names of the files of messages. */
export const namesOf = (messages: { attachments?: { name: string }[] | undefined }[]): string[] =>
  messages.flatMap(({ attachments = [] }) => attachments.map(({ name }) => name))

/** The keys of the files that the browser keeps for messages that have not been sent. */
export const storedFiles = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const keys: string[] = []
    for (const { name = '' } of await indexedDB.databases()) {
      const request = indexedDB.open(name)
      const db = await new Promise<IDBDatabase>(done => {
        request.onsuccess = () => done(request.result)
      })
      const reading = db.transaction('records').objectStore('records').getAllKeys()
      await new Promise(done => {
        reading.onsuccess = done
      })
      keys.push(...reading.result.map(String).filter(key => key.startsWith('file:')))
      db.close()
    }
    return keys
  })

interface Fixtures {
  chat: Chat
  /** Opens the page and the chat as a new contact. Resolves to its id. */
  openAs(name: string): Promise<string>
  /** Creates a contact and logs it in. Resolves to its id. */
  login(page: Page, name: string): Promise<string>
  /** The files in the conversation of a contact, as the team reads and sends them. */
  filesOf(contactId: string): Promise<{
    download(name: string): Promise<Buffer>
    send(text: string, ...files: TestFile[]): Promise<void>
  }>
  /** The messages of a contact. */
  messagesOf(contactId: string): Promise<Message[]>
}

/** With a bot that takes files and never answers, and the page with the strictest policy. */
export const test = base.extend<Fixtures>({
  chat: async ({ page }, use) => {
    await use(new Chat(page))
  },
  client: async ({ filesPlatform: { baseUrl, botId, organizationToken } }, use) => {
    await use(createClient({ baseUrl, botId, organizationToken }))
  },
  login: async ({ client }, use) => {
    await use(async (page, name) => {
      const email = `${randomUUID()}@example.com`
      const { id } = await client.contacts.create({ name, email })
      const { token } = await client.contactTokens.create({ email })
      await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
      return id
    })
  },
  openAs: async ({ page, filesHostPage, chat, login }, use) => {
    await use(async name => {
      await page.goto(filesHostPage.url)
      const contactId = await login(page, name)
      await chat.open()
      await expect(chat.panel.getByRole('button', { name: 'Attach files' })).toBeVisible()
      return contactId
    })
  },
  filesOf: async ({ client }, use) => {
    await use(async contactId => {
      for await (const { id, contact } of client.conversations.list()) {
        if (contact?.id !== contactId) continue
        return {
          async download(name) {
            const messages = await client.conversations.messages.list(id)
            const file = messages.flatMap(({ attachments = [] }) => attachments).find(each => each.name === name)
            const blob = await client.conversations.attachments.download(id, file?.id ?? '')
            return Buffer.from(await blob.arrayBuffer())
          },
          async send(text, ...files) {
            const attachments = []
            for (const { name, buffer } of files) {
              const content = new Blob([new Uint8Array(buffer)])
              const upload = await client.conversations.attachments.upload(id, { content })
              attachments.push({ id: upload.id, name })
            }
            await client.conversations.messages.send(id, { text, attachments })
          },
        }
      }
      throw new Error('The contact has no conversation')
    })
  },
  messagesOf: async ({ client }, use) => {
    await use(contactId => client.conversations.messages.list({ contactId }))
  },
})
