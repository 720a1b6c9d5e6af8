import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Lexer, type Token } from 'marked'

/** One section of a Markdown file: a heading and its text. */
export interface FaqSection {
  /** The heading of the first level above it, or `''`. */
  topic: string
  heading: string
  /** As plain text, without Markdown. */
  text: string
  /** The Markdown source, if it has more than plain text can show: lists, emphasis, code, links, images, tables. */
  markdown?: string
}

/** The sections of a folder, and the files or lines that are probably not understood as they are meant. */
export interface FaqContent {
  sections: FaqSection[]
  /** Paths in the folder, perhaps with a line, each with the reason. */
  unusable: Unusable[]
}

interface Unusable {
  file: string
  reason: string
}

/** Reads all Markdown files of a folder and its subfolders, in the order of their names. Ignores hidden files. */
export async function readFaqContent(folder: string): Promise<FaqContent> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(cause => {
    throw new Error(`The content folder ${folder} can't be read: name one that holds Markdown files.`, { cause })
  })
  const files = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .filter(file => !/(?:^|[\\/])\./.test(file))
    .sort()
  const content: FaqContent = { sections: [], unusable: [] }
  for (const { sections, unusable } of await Promise.all(files.map(file => readFaqFile(folder, file)))) {
    content.sections.push(...sections)
    content.unusable.push(...unusable)
  }
  return content
}

async function readFaqFile(folder: string, file: string): Promise<FaqContent> {
  const unusable = (reason: string): FaqContent => ({ sections: [], unusable: [{ file, reason }] })
  if (!/\.(?:md|markdown)$/i.test(file)) return unusable('not Markdown: its name must end in .md')
  const bytes = await readFile(join(folder, file)).catch(() => null)
  if (bytes === null) return unusable('this user may not read it')
  if (!isUtf8(bytes)) return unusable('not UTF-8')
  const text = bytes.toString('utf8')
  const sections = splitSections(text)
  if (sections.length === 0) return unusable('no text under a heading')
  return { sections, unusable: findMistakes(text).map(({ line, reason }) => ({ file: `${file}:${line}`, reason })) }
}

/** The topics of the sections, each once. */
export const topicsOf = (sections: FaqSection[]): string[] =>
  [...new Set(sections.map(({ topic }) => topic))].filter(Boolean)

/** Splits a Markdown file by its headings. A heading of the first level begins a topic. */
export function splitSections(markdown: string): FaqSection[] {
  const sections: FaqSection[] = []
  let topic = ''
  let heading = ''
  let tokens: Token[] = []
  const finish = (): void => {
    const text = toPlain(tokens)
    const source = tokens.map(({ raw }) => raw).join('')
    const markdown = needsMarkdown(tokens) && { markdown: source.replace(/^(?:[ \t]*\n)+/, '').trimEnd() }
    if (text !== '') sections.push({ topic, heading: heading || topic, text, ...markdown })
    tokens = []
  }
  for (const token of tokensOf(markdown)) {
    if (token.type === 'heading') {
      finish()
      heading = inline(token['text'].trim())
      if (token['depth'] === 1) topic = heading
    } else {
      tokens.push(token)
    }
  }
  finish()
  return sections
}

/** The blocks of a file. */
const tokensOf = (markdown: string): Token[] =>
  new Lexer().blockTokens(withoutFrontMatter(markdown.replace(/^\ufeff/, '').split(/\r\n?|\n/)).join('\n'))

/** Replaced by empty lines, so that the lines keep their numbers. */
function withoutFrontMatter(lines: string[]): string[] {
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  return lines.map((line, index) => (index > end ? line : ''))
}

/** Lines that Markdown probably understands in another way than their author. */
function findMistakes(markdown: string): { line: number; reason: string }[] {
  const mistakes: { line: number; reason: string }[] = []
  let line = 1
  for (const { type, raw } of tokensOf(markdown)) {
    const lines = raw.split('\n')
    const add = (pattern: RegExp, reason: string): void => {
      const index = lines.findIndex(each => pattern.test(each))
      if (index >= 0) mistakes.push({ line: line + index, reason })
    }
    const fence = type === 'code' && /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1]
    if (fence && !new RegExp(`\\n {0,3}${fence[0]}{${fence.length},}[ \\t]*\\n*$`).test(raw))
      add(/^/, 'a code block without an end, to which all that follows belongs')
    if (type === 'html') add(/^ {0,3}#{1,6}[ \t]/, 'a heading inside HTML: put an empty line before it')
    if (type === 'paragraph') add(/^ {0,3}#{1,6}\p{L}/u, 'no heading: put a space after #')
    line += lines.length - 1
  }
  return mistakes
}

/** Whether they contain more than paragraphs. */
const needsMarkdown = (tokens: Token[]): boolean =>
  tokens.some(
    ({ type, raw }) =>
      ['code', 'list', 'blockquote', 'table', 'hr'].includes(type) ||
      raw.split('\n').some(line => inline(line.trim()) !== line.trim().replace(/\\$/, '')),
  )

/** Joins the lines of a paragraph, keeps list items on separate lines, and removes Markdown syntax. */
function toPlain(tokens: Token[]): string {
  const blocks: string[] = []
  let joinable = false
  const addLine = (line: string): void => {
    const text = line.trim()
    if (text === '') {
      if (blocks.at(-1) !== '') blocks.push('')
      joinable = false
      return
    }
    const item = /^[-*+][ \t]+(.*)$/.exec(text)?.[1]
    const readable = item === undefined ? inline(text.replace(/^>[ \t]?/, '')) : `• ${inline(item)}`
    const startsAnew = item !== undefined || /^\d{1,9}[.)][ \t]/.test(text) || text.startsWith('|')
    if (joinable && !startsAnew) blocks[blocks.length - 1] += ` ${readable}`
    else blocks.push(readable)
    // Two spaces or a backslash at the end are a line break in Markdown.
    joinable = !/(?: {2}|\\)$/.test(line)
  }
  for (const token of tokens) {
    joinable &&= token.type !== 'code'
    if (token.type === 'code') blocks.push(...token['text'].split('\n'), '')
    // Fences inside of lists and quotes are left out, and what they hold is read as text.
    else for (const line of token.raw.replace(/\n$/, '').split('\n')) if (!isNestedFence(token, line)) addLine(line)
  }
  return blocks.join('\n').trim()
}

const isNestedFence = ({ type }: Token, line: string): boolean =>
  (type === 'list' || type === 'blockquote') && /^[\s>]*(?:`{3,}[^`]*|~{3,}.*)$/.test(line)

const inline = (text: string): string =>
  text
    .replace(/!\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/\[([^\][]*)\]\(([^()\s]*)\)/g, (_, label: string, address: string) =>
      label === address || !/^https?:/.test(address) ? label : `${label} (${address})`,
    )
    .replace(/<(https?:[^<>\s]*)>/g, '$1')
    .replace(/\*\*|__|~~|`/g, '')
    .replace(/(^|[\s(])[*_](?=\S)/g, '$1')
    .replace(/([^\s\\])[*_](?=[\s).,;:!?]|$)/g, '$1')
    .replace(/\\([^\w\s])/g, '$1')
    .replace(/\\$/, '')
