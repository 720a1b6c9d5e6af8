import { join } from 'node:path'
import { createClient, type NatterClient } from 'natter/sdk'
import { removeDatabase } from '../dataset.ts'
import { createTenant, folder, natter, type Server, startNatter } from '../processes.ts'
import type { Subject } from './peers.ts'

/** Natter's platform with a bot for the pages of this machine. */
export interface Home {
  baseUrl: string
  botId: string
  client: NatterClient
  /** As a page embeds it; `calls` is where the widget finds the platform, if not where its files are. */
  subject(calls?: string): Subject
  /** A token for a new contact. */
  issueToken(): Promise<{ contactId: string; token: string }>
  stop(): Promise<void>
}

/** `responder`: options of `natter bot update`. */
export async function startHome(...responder: string[]): Promise<Home> {
  const database = join(folder, 'widget.db')
  removeDatabase(database)
  const { botId, token: organizationToken } = createTenant(database)
  natter('bot', 'update', botId, '--database', database, '--origin', 'http://127.0.0.1:*', ...responder)
  const server: Server = await startNatter(database)
  const baseUrl = `http://127.0.0.1:${server.port}`
  const client = createClient({ baseUrl, botId, organizationToken })
  return {
    baseUrl,
    botId,
    client,
    subject: (calls = baseUrl) => ({
      name: 'Natter',
      embed: `<script src="${baseUrl}/natter.js" data-bot-id="${botId}" data-base-url="${calls}"></script>`,
      launcher: '[part~="launcher"]',
      input: '[data-natter] textarea',
    }),
    async issueToken() {
      const email = `${crypto.randomUUID()}@example.com`
      const { id } = await client.contacts.create({ name: 'Ada Lovelace', email })
      const { token } = await client.contactTokens.create({ id })
      return { contactId: id, token }
    },
    async stop() {
      await server.stop()
      removeDatabase(database)
    },
  }
}
