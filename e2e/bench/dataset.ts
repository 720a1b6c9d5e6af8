import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ContactFields, createContactGenerator } from './contactGenerator.ts'
import { createBot, createTenant, folder, natter, startNatter } from './processes.ts'

/** A database with contacts, and what is needed to request them. */
export interface Dataset {
  database: string
  size: number
  botId: string
  /** Another bot of the same organization. */
  smallBotId: string
  token: string
  /** A sample of the bot's contacts. */
  contactIds: string[]
  people: ContactFields[]
}

const batchSize = 1000
const sampleSize = 1000
const smallBotSize = 1000

/** Creates a bot with that many contacts and another with 1000, through the platform's API. Later runs reuse the database. */
export async function prepareDataset(size: number): Promise<Dataset> {
  const database = join(folder, `contacts-${size}.db`)
  const description = `${database}.json`
  const schema = readCurrentSchema()
  if (existsSync(description)) {
    const cached = JSON.parse(readFileSync(description, 'utf8')) as Dataset & { schema: string }
    if (cached.schema === schema) return { ...cached, database }
  }
  removeDatabase(database)
  const { organizationId, botId, token } = createTenant(database)
  const smallBotId = createBot(database, organizationId)
  const server = await startNatter(database)
  const nextContact = createContactGenerator()
  const fill = async (bot: string, count: number): Promise<{ contactIds: string[]; people: ContactFields[] }> => {
    const contactIds: string[] = []
    const people: ContactFields[] = []
    const everyNth = Math.max(1, Math.floor(count / sampleSize))
    for (let done = 0; done < count; done += batchSize) {
      const data = Array.from({ length: Math.min(batchSize, count - done) }, nextContact)
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
  await server.stop()
  const dataset: Dataset = { database, size, botId, smallBotId, token, ...sample }
  writeFileSync(description, JSON.stringify({ ...dataset, schema }))
  return dataset
}

/** The schema that this version creates. A database with another schema cannot be reused. */
function readCurrentSchema(): string {
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

/** Copies the database for a benchmark that writes, so that every run starts from the same data. */
export function copyDatabase({ database }: Dataset, name: string): string {
  const copy = join(folder, `${name}.db`)
  removeDatabase(copy)
  copyFileSync(database, copy)
  return copy
}

export function removeDatabase(database: string): void {
  for (const suffix of ['', '-wal', '-shm', '.lock']) rmSync(`${database}${suffix}`, { force: true })
}
