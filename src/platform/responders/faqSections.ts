import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One section of a Markdown file: a heading and its text. */
export interface FaqSection {
  /** The file's main heading. */
  topic: string
  heading: string
  /** As plain text, without Markdown. */
  text: string
  /** The Markdown source, if it has more than plain text can show: emphasis, code, links, images, tables. */
  markdown?: string
}

/** Reads all Markdown files of a folder and its subfolders, in the order of their names. */
export async function readFaqSections(folder: string): Promise<FaqSection[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(cause => {
    throw new Error(`The content folder ${folder} can't be read: name one that holds Markdown files.`, { cause })
  })
  const paths = entries
    .filter(entry => entry.isFile() && /\.(?:md|markdown)$/i.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
  const texts = await Promise.all(paths.map(path => readFile(path, 'utf8')))
  return texts.flatMap(splitSections)
}

/** Splits a Markdown file by its headings, ignoring `#` in code blocks. */
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
    const title = fenced ? undefined : /^ {0,3}#{1,6}[ \t]+(.*)$/.exec(line)?.[1]
    if (title === undefined) {
      lines.push(line)
    } else {
      finish()
      heading = inline(title.replace(/[ \t]+#+[ \t]*$/, '').trim())
      topic ||= heading
    }
  }
  finish()
  return sections
}

function withoutFrontMatter(lines: string[]): string[] {
  const end = lines[0] === '---' ? lines.indexOf('---', 1) : -1
  return end < 0 ? lines : lines.slice(end + 1)
}

/** Whether they contain more than paragraphs and lists. */
const needsMarkdown = (lines: string[]): boolean =>
  lines.some(line => /^\s*(?:```|~~~|\|)/.test(line) || inline(line.trim()) !== line.trim().replace(/\\$/, ''))

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
