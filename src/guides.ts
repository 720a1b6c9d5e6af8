import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createAnchors } from './build/docs/anchors.ts'

const root = resolve(import.meta.dirname, '..')

/** The documentation for users and operators, as paths from the repository's root. All of it is in the package. */
export const guides = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...globSync(
    ['src/{widget,sdk,platform,desk,testing}/README.md', 'src/{sdk,platform}/docs/*.md', 'e2e/bench/README.md'],
    {
      cwd: root,
    },
  ),
  ...globSync('demo/deploy/{.,cluster,kubernetes}/README.md', { cwd: root }),
].map(path => path.replaceAll('\\', '/').replace('/./', '/'))

/** The documentation for contributors. It is in the repository only. */
export const contributorDocs = ['src/README.md', ...globSync('src/**/ARCHITECTURE.md', { cwd: root })]

export const readGuide = (path: string): string => readFileSync(join(root, path), 'utf8')

const fence = /^```[\s\S]*?^```/gm

/** The text outside of code blocks. */
export const prose = (text: string): string => text.replace(fence, '')

export interface Heading {
  level: number
  title: string
  /** The part of an address behind `#` that leads to it. */
  anchor: string
}

/** The headings of a text, with the anchors that GitHub gives them. */
export function headings(text: string): Heading[] {
  const anchorOf = createAnchors()
  return [...prose(text).matchAll(/^(#+) (.+)$/gm)].map(([, marks = '', title = '']) => ({
    level: marks.length,
    title,
    anchor: anchorOf(title),
  }))
}

/** The text under a heading, up to the next heading of any level. */
export function section(path: string, heading: string): string {
  const found = readGuide(path)
    .split(/^#+ /m)
    .find(text => text.startsWith(`${heading}\n`))
  if (!found) throw new Error(`${path} has no heading "${heading}"`)
  return found
}

/** The rows of the tables under a heading, as cells. */
export const rows = (path: string, heading: string): string[][] =>
  section(path, heading)
    .split('\n')
    .filter(line => /^\| [`[]/.test(line))
    .map(line => line.split(/(?<!\\) \| ?/).map(cell => cell.replace(/^\| | ?\|$/g, '')))

export interface CodeBlock {
  /** Such as `ts`; may be empty. */
  language: string
  code: string
}

/** The blocks of code of a guide, also those in lists. */
export const codeBlocks = (path: string): CodeBlock[] =>
  [...readGuide(path).matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```/gm)].map(([, , language = '', code = '']) => ({
    language,
    code,
  }))

/**
 * The code of the block that begins with a comment naming this file: `// name`, `# name` or `<!-- name -->`, after the opening
 * tag if it is PHP.
 */
export function codeFile(path: string, name: string): string {
  const start = new RegExp(`^(<\\?php\n)?(?://|#|<!--) ${name.replace(/[.[\]]/g, '\\$&')}(?: -->)?\n`)
  const found = codeBlocks(path).find(({ code }) => start.test(code))
  if (found === undefined) throw new Error(`${path} has no file ${name}`)
  return found.code.replace(start, '$1')
}
