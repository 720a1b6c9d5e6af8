import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A site made of the README's files. */
export interface ReadmeSite {
  fetch(request: Request): Promise<Response>
  /** The site's own sessions, by the value of its cookie. */
  sessions: Map<string, { user?: { email: string; name: string } | null }>
}

/** What the README's files import, besides each other. */
const packages: Record<string, string> = {
  'natter/sdk': pathToFileURL(join(import.meta.dirname, '../index.ts')).href,
  hono: import.meta.resolve('hono'),
}

const sessionFile = `
import type { Session } from './chat.ts'
export const sessions = new Map<string, Session>()
export const currentSession = ({ headers }: Request): Session =>
  sessions.get(/session=(\\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '') ?? {}`

export const readme = (): Promise<string> => readFile(join(import.meta.dirname, '../../../README.md'), 'utf8')

/**
 * Writes the README's files into a folder, as they stand there but for the addresses of the packages they import, and
 * loads its server. They read the environment while they are loaded.
 */
export async function loadReadmeSite(folder: string): Promise<ReadmeSite> {
  const text = await readme()
  for (const name of ['chat.ts', 'webhook.ts', 'hono.ts']) {
    const file = text.split(`\`\`\`ts\n// ${name}\n`)[1]?.split('```')[0]
    if (file === undefined) throw new Error(`The README has no file ${name}`)
    await writeFile(
      join(folder, name),
      file.replace(/from '([^'.]+)'/g, (_, from) => `from '${packages[from]}'`),
    )
  }
  await writeFile(join(folder, 'session.ts'), sessionFile)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)
  const { app } = await load('hono.ts')
  const { sessions } = await load('session.ts')
  return { fetch: request => app.fetch(request), sessions }
}
