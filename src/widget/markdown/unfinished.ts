// While a reply comes, its end is half-written. What is shown of it is what it will most likely become: a mark that may
// mean two things waits for the next character, and what has been opened is closed.

/** How long a link may be before its bracket is taken for a bracket. */
const longestLink = 300

/** A line that holds nothing but marks: a list, a rule, a heading or a table, nobody knows yet. */
const marksOnly = /^[\s>]*(?:[-+*_=~`#|: \t]*|(?:[-+*]|\d{1,9}[.)]?)[ \t]*(?:\[[ xX]?\]?[ \t]*)?)$/
const longestMarks = 60

const fence = /^[ \t>]*(?:`{3,}|~{3,})/

/** The text without a last line that is not yet to be understood. */
export function withoutUnclearLine(text: string): string {
  const start = text.lastIndexOf('\n') + 1
  const line = text.slice(start)
  return line.length < longestMarks && marksOnly.test(line) ? text.slice(0, start) : text
}

/** A piece that goes on: what is open in it is closed. */
export function closeOpen(text: string): string {
  // In a fence nothing else means anything, and in a block of indented code.
  if (text.split('\n').filter(line => fence.test(line)).length % 2) return text
  const isList = /^ {0,3}(?:[-*+]|\d)/.test(text)
  if (!isList && /^\n?(?: {4}|\t)/.test(text.slice(text.lastIndexOf('\n\n') + 1))) return text
  const start = inlineStart(text)
  const kept = withoutUnclearLine(text.slice(0, start) + closeMarks(text.slice(start)))
  return withDelimiterRow(kept)
}

/** Where the paragraph, heading, item or cell begins that the text ends in. */
function inlineStart(text: string): number {
  let start = text.lastIndexOf('\n\n') + 1
  for (let at = start; at < text.length; at = text.indexOf('\n', at) + 1 || text.length) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? undefined : end)
    if (fence.test(line)) start = end < 0 ? text.length : end + 1
    else if (/^[ \t]*\|/.test(line)) start = at + line.lastIndexOf('|') + 1
    else if (/^[\s>]*(?:[-*+]|#{1,6}|\d{1,9}[.)])[ \t]/.test(line)) start = at
  }
  return start
}

/** Closes emphasis and code; leaves out what may become a link, an escape, a character's name, and marks at the end. */
function closeMarks(text: string, mayLink = true): string {
  const kept = text.replace(/[\s*_~`\\!]+$/, '').replace(/(?:<[a-z]{0,8}:?[^\s<>]{0,300}|&[#\w]{0,31})$/i, '')
  const open: string[] = []
  const brackets: number[] = []
  const marks = /\\.|`+|\*+|_+|~+|!?\[|\]/gs
  for (let found = marks.exec(kept); found; found = marks.exec(kept)) {
    const [mark] = found
    const at = found.index
    const end = at + mark.length
    if (mark.startsWith('`')) {
      const closing = closingRun(kept, mark, end)
      if (!closing) return kept + mark + closers(open)
      marks.lastIndex = closing
    } else if (mark.endsWith('[')) brackets.push(at)
    else if (mark === ']') {
      const bracket = brackets.pop()
      if (bracket === undefined) continue
      const target = /^\((?:[^()\\\n]|\\.|\([^()\n]*\))*\)/.exec(kept.slice(end))
      if (target) marks.lastIndex = end + target[0].length
      // It may still become a link.
      else if (end === kept.length || kept[end] === '(') brackets.push(bracket)
    } else if (!mark.startsWith('\\')) weigh(mark, kept[at - 1] ?? '', kept[end] ?? '', open)
  }
  const unfinished = brackets.find(at => mayLink && kept.length - at < longestLink)
  return unfinished === undefined ? kept + closers(open) : closeMarks(kept.slice(0, unfinished), false)
}

const closers = (open: readonly string[]) => open.toReversed().join('')

/** Where the run of backticks ends that closes one of the same length; 0 without one. */
function closingRun(text: string, mark: string, from: number): number {
  const runs = /`+/g
  runs.lastIndex = from
  for (let run = runs.exec(text); run; run = runs.exec(text)) if (run[0] === mark) return runs.lastIndex
  return 0
}

/** Notes whether a run of marks closes what is open, or opens something. */
function weigh(mark: string, before: string, after: string, open: string[]): void {
  const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character)
  let left = mark.length
  if (before.trim() && !(mark.startsWith('_') && isWord(after)))
    for (let last = open.at(-1); last?.[0] === mark[0] && last && last.length <= left; last = open.at(-1)) {
      left -= last.length
      open.pop()
    }
  if (!left || !after.trim() || isWord(before)) return
  if (left !== 2) open.push(mark.slice(0, 1))
  if (left > 1) open.push(mark.slice(0, 2))
}

/** A table from its first row on, which without the next row were a paragraph. */
function withDelimiterRow(text: string): string {
  const [row = '', before = ''] = text.trimEnd().split('\n').reverse()
  if (!/^ *\|/.test(row) || /^ *\|/.test(before)) return text
  const cells = row
    .replace(/\\./g, '')
    .replace(/^ *\||\|$/g, '')
    .split('|')
  return `${text.trimEnd()}\n${'|-'.repeat(cells.length)}|`
}
