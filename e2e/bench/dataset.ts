import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ContactFields, createContactGenerator } from './contactGenerator.ts'
import { createBot, createTenant, folder, natter, startNatter } from './processes.ts'

import { waitUntilIndexed } from './waitUntilIndexed.ts'

/** A database with contacts, and the means to ask for them. */
export interface Dataset {
  database: string
  size: number
  botId: string
  /** Another bot of the same organization. */
  smallBotId: string
  token: string
  /** Some of the bot's contacts. */
  contactIds: string[]
  people: ContactFields[]
}

const entriesAtOnce = 1000
const sampled = 1000
const smallBotSize = 1000

/** A bot with so many contacts, and one of 1000 beside it; made through the platform's own API, once. */
export async function prepareDataset(size: number): Promise<Dataset> {
  const database = join(folder, `contacts-${size}.db`)
  const description = `${database}.json`
  const schema = presentSchema()
  if (existsSync(description)) {
    const kept = JSON.parse(readFileSync(description, 'utf8')) as Dataset & { schema: string }
    if (kept.schema === schema) return { ...kept, database }
  }
  removeDatabase(database)
  const { organizationId, botId, token } = createTenant(database)
  const smallBotId = createBot(database, organizationId)
  const server = await startNatter(database)
  const nextContact = createContactGenerator()
  const fill = async (bot: string, count: number): Promise<{ contactIds: string[]; people: ContactFields[] }> => {
    const contactIds: string[] = []
    const people: ContactFields[] = []
    const everyNth = Math.max(1, Math.floor(count / sampled))
    for (let done = 0; done < count; done += entriesAtOnce) {
      const data = Array.from({ length: Math.min(entriesAtOnce, count - done) }, nextContact)
      const ids = await upsert(`http://127.0.0.1:${server.port}/v1/bots/${bot}/contacts`, token, data)
      for (let index = (everyNth - (done % everyNth)) % everyNth; index < ids.length; index += everyNth) {
        contactIds.push(ids[index] as string)
        people.push(data[index] as ContactFields)
      }
      if (done % 100_000 === 0 && done > 0) process.stdout.write(`  ${done} contacts\n`)
    }
    return { contactIds, people }
  }
  await fill(smallBotId, smallBotSize)
  const sample = await fill(botId, size)
  await waitUntilIndexed(database)
  await server.stop()
  const dataset: Dataset = { database, size, botId, smallBotId, token, ...sample }
  writeFileSync(description, JSON.stringify({ ...dataset, schema }))
  return dataset
}

/** The tables as this version makes them: data of another one is of no use. */
function presentSchema(): string {
  const database = join(folder, 'schema.db')
  removeDatabase(database)
  natter('org', 'create', '--database', database, '--name', 'Bench')
  const db = new DatabaseSync(database, { readOnly: true })
  const rows = db.prepare('SELECT sql FROM sqlite_master ORDER BY name').all()
  db.close()
  removeDatabase(database)
  return rows.map(({ sql }) => String(sql)).join('\n')
}

async function upsert(url: string, token: string, data: ContactFields[]): Promise<string[]> {
  const response = await fetch(url, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data }),
  })
  if (!response.ok) throw new Error(`upsert: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
}

/** A copy of its own for what writes, so that the next run finds what this one found. */
export function copyDatabase({ database }: Dataset, name: string): string {
  const copy = join(folder, `${name}.db`)
  removeDatabase(copy)
  copyFileSync(database, copy)
  return copy
}

export function removeDatabase(database: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(`${database}${suffix}`, { force: true })
}
