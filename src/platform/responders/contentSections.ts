import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Lexer, type Token, type Tokens } from 'marked'
import { isHttpsUrl } from '../../contract/validation.ts'

/** One section of a Markdown file: a heading and its text. */
export interface Section {
  /** The heading of the first level above it, or `''`. */
  topic: string
  heading: string
  text: string
  /** The path of its file in the folder. */
  file?: string
  /** The https address of the page on which it stands: `source` in the front matter of its file, or below the folder's. */
  url?: string
  /** Whether the text is Markdown, because it has more than plain text can show: lists, emphasis, code, links, images, tables. */
  isMarkdown?: boolean
}

/** The sections of a folder, and the files or lines that are probably not understood as they are meant. */
export interface Content {
  sections: Section[]
  /** The synonyms of the folder: lines of words that mean the same, separated by commas. */
  synonyms: string
  /** Paths in the folder, perhaps with a line, each with the reason. */
  unusable: Unusable[]
}

interface Unusable {
  file: string
  reason: string
}

/** Words that mean the same, beside the files of Markdown. */
const synonymsFile = 'synonyms.txt'

/**
 * Reads all Markdown files of a folder and its subfolders, in the order of their names, and its synonyms. Ignores hidden
 * files. Below `baseUrl` are the pages of the files: that of `shop/returns.md` is `shop/returns`, that of `shop/index.md` `shop/`.
 */
export async function readContent(folder: string, baseUrl?: string): Promise<Content> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(cause => {
    throw new Error(`The content folder ${folder} can't be read: name one that holds Markdown files.`, { cause })
  })
  const files = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .filter(file => !/(?:^|[\\/])\./.test(file))
    .sort()
  const read = await Promise.all(files.map(file => readContentFile(folder, file, baseUrl)))
  return {
    sections: read.flatMap(({ sections }) => sections),
    synonyms: read.map(({ synonyms }) => synonyms).join('\n'),
    unusable: read.flatMap(({ unusable }) => unusable),
  }
}

async function readContentFile(folder: string, file: string, baseUrl: string | undefined): Promise<Content> {
  const unusable = (reason: string): Content => ({ sections: [], synonyms: '', unusable: [{ file, reason }] })
  if (file !== synonymsFile && !/\.(?:md|markdown)$/i.test(file))
    return unusable('not Markdown: its name must end in .md')
  const bytes = await readFile(join(folder, file)).catch(() => null)
  if (bytes === null) return unusable('this user may not read it')
  if (!isUtf8(bytes)) return unusable('not UTF-8')
  const text = bytes.toString('utf8')
  if (file === synonymsFile) return { sections: [], synonyms: text, unusable: [] }
  const page = baseUrl === undefined ? undefined : pageOf(file, baseUrl)
  const sections = splitSections(text).map(section => ({ ...(page !== undefined && { url: page }), ...section, file }))
  if (sections.length === 0) return unusable('no text under a heading')
  const unusableLines = findMistakes(text).map(({ line, reason }) => ({ file: `${file}:${line}`, reason }))
  return { sections, synonyms: '', unusable: unusableLines }
}

/** The address of a file's page. Like those of most generators, it has no ending. */
function pageOf(file: string, baseUrl: string): string {
  const path = file.split(/[\\/]/).map(encodeURIComponent).join('/')
  return baseUrl.replace(/\/?$/, '/') + path.replace(/\.\w+$/, '').replace(/(?<=^|\/)(?:index|readme)$/i, '')
}

/** The topics of the sections, each once. */
export const topicsOf = (sections: Section[]): string[] =>
  [...new Set(sections.map(({ topic }) => topic))].filter(Boolean)

/** Splits a Markdown file by its headings. A heading of the first level begins a topic. */
export function splitSections(markdown: string): Section[] {
  const sections: Section[] = []
  const url = urlOf(markdown)
  let topic = ''
  let heading = ''
  let tokens: Token[] = []
  const finish = (): void => {
    const source = tokens.map(({ raw }) => raw).join('')
    const isMarkdown = needsMarkdown(tokens, source)
    const text = isMarkdown ? source.replace(/^(?:[ \t]*\n)+/, '').trimEnd() : joinLines(source)
    if (text !== '')
      sections.push({ topic, heading: heading || topic, text, isMarkdown, ...(url !== undefined && { url }) })
    tokens = []
  }
  for (const token of tokensOf(markdown)) {
    if (token.type === 'heading') {
      finish()
      heading = textOf(new Lexer().inlineTokens(token['text'])).trim()
      if (token['depth'] === 1) topic = heading
    } else {
      tokens.push(token)
    }
  }
  finish()
  return sections
}

/** The blocks of a file. The front matter is replaced by empty lines, so that the lines keep their numbers. */
function tokensOf(markdown: string): Token[] {
  const lines = linesOf(markdown)
  const begin = frontMatterOf(lines).length
  return new Lexer().blockTokens(lines.map((line, index) => (index < begin ? '' : line)).join('\n'))
}

const linesOf = (markdown: string): string[] => markdown.replace(/^\ufeff/, '').split(/\r\n?|\n/)

/** The lines of the front matter with the marks around it. */
const frontMatterOf = (lines: string[]): string[] =>
  lines[0] === '---' ? lines.slice(0, lines.indexOf('---', 1) + 1) : []

/** `source` in the front matter, if it is an https address. */
function urlOf(markdown: string): string | undefined {
  const [, url = ''] = sourceLine.exec(frontMatterOf(linesOf(markdown)).join('\n')) ?? []
  return isHttpsUrl(url) ? url : undefined
}

const sourceLine = /^source:[ \t]*["']?(\S+?)["']?[ \t]*$/m

/** Lines that Markdown probably understands in another way than their author. */
function findMistakes(markdown: string): { line: number; reason: string }[] {
  const mistakes: { line: number; reason: string }[] = []
  const sourceIndex = frontMatterOf(linesOf(markdown)).findIndex(each => each.startsWith('source:'))
  if (sourceIndex >= 0 && urlOf(markdown) === undefined)
    mistakes.push({ line: sourceIndex + 1, reason: 'source must be an https address' })
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

/** Whether blocks contain more than paragraphs, or these perhaps more than words. */
const needsMarkdown = (tokens: Token[], source: string): boolean =>
  tokens.some(({ type }) => ['code', 'list', 'blockquote', 'table', 'hr'].includes(type)) ||
  /[*_~`\\]| {2}\n|\]\(|<https?:/.test(source)

/** Makes one line of the lines of each paragraph. */
function joinLines(source: string): string {
  const lines = source.split('\n').map(line => line.trim())
  const text = lines.join('\n').trim()
  return text
    .split(/\n{2,}/)
    .map(paragraph => paragraph.replaceAll('\n', ' '))
    .join('\n\n')
}

/** The text of inline Markdown, without its marks. */
const textOf = (tokens: Tokens.Generic[]): string =>
  tokens.map(({ tokens, text = '' }) => (tokens ? textOf(tokens) : text)).join('')
