import { join } from 'node:path'
import { createClient, type NatterClient } from 'natter/sdk'
import { removeDatabase } from '../dataset.ts'
import { createTenant, folder, natter, type Server, startNatter } from '../processes.ts'
import type { Subject } from './peers.ts'

/** A platform with a bot that allows pages of this machine. */
export interface Home {
  baseUrl: string
  botId: string
  client: NatterClient
  /** The HTML that embeds the widget. `calls` is the platform's address, if it differs from that of the files. */
  subject(calls?: string): Subject
  /** Creates a contact and a token for it. */
  issueToken(): Promise<{ contactId: string; token: string }>
  stop(): Promise<void>
}

/** Starts the platform. `responder` contains options of `natter bot update`. */
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
