import { isUtf8 } from 'node:buffer'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

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

/** The sections of a folder, and the files from which none can be taken. */
export interface FaqContent {
  sections: FaqSection[]
  /** Paths in the folder, each with the reason. */
  unusable: { file: string; reason: string }[]
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
  for (const { file, sections, reason } of await Promise.all(files.map(file => readFaqFile(folder, file)))) {
    content.sections.push(...sections)
    if (reason !== undefined) content.unusable.push({ file, reason })
  }
  return content
}

async function readFaqFile(
  folder: string,
  file: string,
): Promise<{ file: string; sections: FaqSection[]; reason?: string }> {
  const unusable = (reason: string) => ({ file, sections: [], reason })
  if (!/\.(?:md|markdown)$/i.test(file)) return unusable('not Markdown: its name must end in .md')
  const bytes = await readFile(join(folder, file)).catch(() => null)
  if (bytes === null) return unusable('this user may not read it')
  if (!isUtf8(bytes)) return unusable('not UTF-8')
  const sections = splitSections(bytes.toString('utf8'))
  return sections.length > 0 ? { file, sections } : unusable('no text under a heading')
}

/** The topics of the sections, each once. */
export const topicsOf = (sections: FaqSection[]): string[] =>
  [...new Set(sections.map(({ topic }) => topic))].filter(Boolean)

/** Splits a Markdown file by its headings, ignoring `#` in code blocks. A heading of the first level begins a topic. */
export function splitSections(markdown: string): FaqSection[] {
  const sections: FaqSection[] = []
  let topic = ''
  let heading = ''
  let fenced = false
  let lines: string[] = []
  const finish = (): void => {
    const text = toPlain(lines)
    const markdown = needsMarkdown(lines) && { markdown: lines.join('\n').trim() }
    if (text !== '') sections.push({ topic, heading: heading || topic, text, ...markdown })
    lines = []
  }
  for (const line of withoutFrontMatter(markdown.replace(/^\ufeff/, '').split(/\r?\n/))) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) fenced = !fenced
    const [, marks = '', title] = (fenced ? null : /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line)) ?? []
    if (title === undefined) {
      lines.push(line)
    } else {
      finish()
      heading = inline(title.replace(/[ \t]+#+[ \t]*$/, '').trim())
      if (marks.length === 1) topic = heading
    }
  }
  finish()
  return sections
}

function withoutFrontMatter(lines: string[]): string[] {
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  return end < 0 ? lines : lines.slice(end + 1)
}

/** Whether they contain more than paragraphs. */
const needsMarkdown = (lines: string[]): boolean =>
  lines.some(
    line =>
      /^\s*(?:```|~~~|\||>|(?:[-*_][ \t]*){3,}$|(?:[-*+]|\d{1,9}[.)])[ \t])/.test(line) ||
      inline(line.trim()) !== line.trim().replace(/\\$/, ''),
  )

/** Joins the lines of a paragraph, keeps list items on separate lines, and removes Markdown syntax. */
function toPlain(lines: string[]): string {
  const blocks: string[] = []
  let fenced = false
  let joinable = false
  for (const line of lines) {
    const text = line.trim()
    if (/^(?:```|~~~)/.test(text)) {
      fenced = !fenced
      joinable = false
    } else if (fenced) {
      blocks.push(line)
    } else if (text === '') {
      if (blocks.at(-1) !== '') blocks.push('')
      joinable = false
    } else {
      const item = /^[-*+][ \t]+(.*)$/.exec(text)?.[1]
      const readable = item === undefined ? inline(text.replace(/^>[ \t]?/, '')) : `• ${inline(item)}`
      const startsAnew = item !== undefined || /^\d{1,9}[.)][ \t]/.test(text) || text.startsWith('|')
      if (joinable && !startsAnew) blocks[blocks.length - 1] += ` ${readable}`
      else blocks.push(readable)
      // Two spaces or a backslash at the end are a line break in Markdown.
      joinable = !/(?: {2}|\\)$/.test(line)
    }
  }
  return blocks.join('\n').trim()
}

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
