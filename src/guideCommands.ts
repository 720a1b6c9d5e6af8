import { join, resolve } from 'node:path'
import { codeBlocks, prose, readGuide } from './guides.ts'
import { topics } from './platform/cli/commands.ts'

/** A call of `natter` in a guide. */
export interface GuideCommand {
  /** As it is written, for errors. */
  line: string
  /** The arguments of `natter`. */
  words: string[]
  /** The variables that are set in front of it. */
  environment: Record<string, string | undefined>
}

const root = resolve(import.meta.dirname, '..')
const packageFolder = 'node_modules/natter/'
const shells = ['sh', 'ini', '']
const topicNames = topics.map(({ name }) => name)

/** The calls of `natter` in the shell blocks of a guide, however they are started: by npx, in a container or by itself. */
export const commandsInBlocks = (path: string): GuideCommand[] =>
  codeBlocks(path)
    .filter(({ language }) => shells.includes(language))
    .flatMap(({ code }) => code.replace(/\\\n\s*/g, ' ').split('\n'))
    .map(line => line.replace(/(^|\s)#.*/, '').replace(/\$\([^)]*\)/g, 'OUTPUT'))
    .flatMap(line => line.split(/&&|[|;<>]/))
    .flatMap(readCommand)

/** The calls of `natter` in the sentences and tables of a guide. Those that leave something out by `…` or `<…>` don't count. */
export const commandsInProse = (path: string): GuideCommand[] =>
  [...prose(readGuide(path)).matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replace(/\s+/g, ' ').replace('postgres://…', 'postgres://host/natter'))
    .filter(code => /^(npx --no )?natter /.test(code) && !/[…<]/.test(code))
    .flatMap(readCommand)

function readCommand(line: string): GuideCommand[] {
  const all = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)?.map(word => word.replace(/["']/g, '')) ?? []
  const start = all.findIndex(word => !/^\w+=/.test(word))
  const words = all.slice(start)
  const environment = Object.fromEntries(all.slice(0, start).map(word => word.split('=')))
  const isDirect = words[0] === 'natter' || words.slice(0, 3).join(' ') === 'npx --no natter'
  // In a container, `natter` and `migrate` may also be the name of the service, and `natter` that of a database.
  const before = isDirect
    ? words.indexOf('natter')
    : words.findIndex(
        (word, index) => /(^|\/)(natter|migrate)$/.test(word) && topicNames.includes(words[index + 1] ?? ''),
      )
  return before < 0 ? [] : [{ line: line.trim(), words: withFolders(words.slice(before + 1)), environment }]
}

/** Folders of content must exist: those of the package do, those of readers are replaced. */
const withFolders = (words: string[]): string[] =>
  words.map((word, index) => {
    if (words[index - 1] !== '--content') return word
    return word.startsWith(packageFolder) ? join(root, word.slice(packageFolder.length)) : root
  })
