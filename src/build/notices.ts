import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const root = join(import.meta.dirname, '../..')
const notes = join(root, 'out/notices')

/**
 * Writes `dist/THIRD-PARTY-NOTICES.txt`: the licences of the packages that the builds contain. Each build adds its own,
 * because the builds run one after another in separate processes.
 */
export const notices = (build: string): Plugin => ({
  name: 'notices',
  writeBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap(chunk => (chunk.type === 'chunk' ? chunk.moduleIds : []))
    const folders = modules.flatMap(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
    mkdirSync(notes, { recursive: true })
    writeFileSync(join(notes, `${build}.json`), JSON.stringify([...new Set(folders)]))
    const all = readdirSync(notes).flatMap(file => JSON.parse(readFileSync(join(notes, file), 'utf8')) as string[])
    const texts = [...new Set(all)].map(noticeOf).sort()
    writeFileSync(join(root, 'dist/THIRD-PARTY-NOTICES.txt'), texts.join(`\n${'-'.repeat(72)}\n\n`))
  },
})

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const files = readdirSync(folder).filter(file => /^(licen[cs]e|copying|notice)\b/i.test(file))
  const texts = files.sort().map(file => readFileSync(join(folder, file), 'utf8').trim())
  if (!license || !texts[0]) throw new Error(`${name} says no licence: it can't be carried in a build`)
  return `${[`${name} ${version} (${license})`, ...texts].join('\n\n')}\n`
}
