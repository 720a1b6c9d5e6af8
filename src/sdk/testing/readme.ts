import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { codeFile } from '../../guides.ts'

/** A site made of the guide's files. */
export interface ReadmeSite {
  fetch(request: Request): Promise<Response>
  /** The site's own sessions, by the value of its cookie. */
  sessions: Map<string, { user?: { email: string; name: string } | null }>
}

/** What the guide's files import, besides each other. */
const packages: Record<string, string> = {
  'natter/sdk': pathToFileURL(join(import.meta.dirname, '../index.ts')).href,
  hono: import.meta.resolve('hono'),
}

const sessionFile = `
import type { Session } from './chat.ts'
export const sessions = new Map<string, Session>()
export const currentSession = ({ headers }: Request): Session =>
  sessions.get(/session=(\\w+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '') ?? {}`

/**
 * Writes the files of the SDK's guide into a folder, as they stand there but for the addresses of the packages they import, and
 * loads its server. They read the environment while they are loaded.
 */
export async function loadReadmeSite(folder: string): Promise<ReadmeSite> {
  for (const name of ['chat.ts', 'webhook.ts', 'hono.ts']) {
    const file = codeFile('src/sdk/README.md', name)
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
