// The end of a streaming reply is incomplete. It is rendered as what it will most likely become: open emphasis, code and
// tables are closed, and characters that can still mean several things are withheld. Everything here takes linear time.
import { isCjk } from './cjk.ts'

/** An unfinished link longer than this is treated as text in brackets. */
const maxUnfinishedLink = 300

/** Matches a line of marks only, which may become a list, a rule, a heading, or a table. */
const marksOnly = /^[\s>]*(?:[-+*_=~`#|: \t]*|(?:[-+*]|\d{1,9}[.)]?)[ \t]*(?:\[[ xX]?\]?[ \t]*)?)$/
const maxMarksOnly = 60

const fenceLine = /^[ \t>]*(?:`{3,}|~{3,})/

/** Removes the last line if it consists of marks only, because its meaning is still unclear. */
export function withholdUnclearLine(text: string): string {
  const start = text.lastIndexOf('\n') + 1
  const line = text.slice(start)
  return line.length < maxMarksOnly && marksOnly.test(line) ? text.slice(0, start) : text
}

/** Closes what is open at the end of an unfinished block. */
export function closeUnfinished(text: string): string {
  // The end is inside of fenced code, which is shown as it is.
  if (text.split('\n').filter(line => fenceLine.test(line)).length % 2) return text
  const isList = /^ {0,3}(?:[-*+]|\d)/.test(text)
  if (!isList && /^\n?(?: {4}|\t)/.test(text.slice(text.lastIndexOf('\n\n') + 1))) return text
  const start = inlineStart(text)
  return withDelimiterRow(withholdUnclearLine(text.slice(0, start) + closeInline(text.slice(start), true)))
}

/** Finds the start of the last paragraph, heading, list item or cell. */
function inlineStart(text: string): number {
  let start = text.lastIndexOf('\n\n') + 1
  for (let lineStart = start, end = 0; lineStart < text.length; lineStart = end) {
    end = text.indexOf('\n', lineStart) + 1 || text.length
    const line = text.slice(lineStart, end)
    if (fenceLine.test(line)) start = end
    else if (/^[ \t]*\|/.test(line)) start = lineStart + line.lastIndexOf('|') + 1
    else if (/^[\s>]*(?:[-*+]|#{1,6}|\d{1,9}[.)])[ \t]/.test(line)) start = lineStart
  }
  return start
}

/** Closes code and emphasis. Removes what may become a link, an escape, an entity or emphasis. */
function closeInline(text: string, canBeLink: boolean): string {
  const shown = trimMarks(trimUnfinishedWord(trimMarks(text)))
  const closingParentheses = matchParentheses(shown)
  const emphasis: string[] = []
  const brackets: number[] = []
  const marks = /\\.|`+|\*+|_+|~+|!?\[|\]/gs
  for (let match = marks.exec(shown); match; match = marks.exec(shown)) {
    const [mark] = match
    const end = marks.lastIndex
    if (mark.startsWith('`')) {
      const codeEnd = endOfCode(shown, mark, end)
      if (!codeEnd) return shown + mark + closersOf(emphasis)
      marks.lastIndex = codeEnd
    } else if (mark.endsWith('[')) brackets.push(match.index)
    else if (mark === ']') {
      const bracket = brackets.pop()
      const addressEnd = closingParentheses.get(end)
      if (bracket === undefined) continue
      if (addressEnd) marks.lastIndex = addressEnd + 1
      // The address of the link is still missing or incomplete.
      else if (end === shown.length || shown[end] === '(') brackets.push(bracket)
    } else if (!mark.startsWith('\\')) {
      updateEmphasis(emphasis, mark, shown[match.index - 1] ?? '', shown[end] ?? '')
    }
  }
  const link = canBeLink ? brackets.find(start => shown.length - start < maxUnfinishedLink) : undefined
  return link === undefined ? shown + closersOf(emphasis) : closeInline(shown.slice(0, link), false)
}

const closersOf = (emphasis: string[]) => emphasis.toReversed().join('')

/** Removes marks and blanks at the end. A regular expression would take quadratic time: it tries each run of marks. */
function trimMarks(text: string): string {
  let end = text.length
  while (end > 0 && /[\s*_~`\\!]/.test(text[end - 1] as string)) end--
  return text.slice(0, end)
}

/** Removes an incomplete address in angle brackets, or an incomplete entity, at the end. */
function trimUnfinishedWord(text: string): string {
  for (const [first, unfinished] of [
    ['<', /^<(?:[^\s<>]{0,300}|br *\/?)$/i],
    ['&', /^&[#\w]{0,31}$/],
  ] as const) {
    const start = text.lastIndexOf(first)
    if (start >= 0 && unfinished.test(text.slice(start))) return text.slice(0, start)
  }
  return text
}

/** Maps the index of each `(` to the index of the `)` that closes it on the same line. */
function matchParentheses(text: string): Map<number, number> {
  const closing = new Map<number, number>()
  let open: number[] = []
  for (const { 0: mark, index } of text.matchAll(/\\.|[()\n]/gs)) {
    if (mark === '(') open.push(index)
    else if (mark === '\n') open = []
    else if (mark === ')') {
      const opening = open.pop()
      if (opening !== undefined) closing.set(opening, index)
    }
  }
  return closing
}

/** Finds the end of inline code: the index after the next run of backticks of the same length, or 0 if there is none. */
function endOfCode(text: string, opening: string, from: number): number {
  const runs = /`+/g
  runs.lastIndex = from
  for (let run = runs.exec(text); run; run = runs.exec(text)) if (run[0] === opening) return runs.lastIndex
  return 0
}

/** Removes the emphasis that a run of marks closes, and adds the emphasis that the rest of the run opens. */
function updateEmphasis(emphasis: string[], run: string, before: string, after: string): void {
  const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character)
  if (run.startsWith('~') && run.length !== 2) return
  let left = run.length
  if (before.trim() && !(run.startsWith('_') && isWord(after)))
    for (let last = emphasis.at(-1); last?.[0] === run[0] && last && last.length <= left; last = emphasis.at(-1)) {
      left -= last.length
      emphasis.pop()
    }
  const canFollowWords = !run.startsWith('_') && (isCjk(before) || isCjk(after))
  if (!left || !after.trim() || (isWord(before) && !canFollowWords)) return
  if (left !== 2) emphasis.push(run.slice(0, 1))
  if (left > 1) emphasis.push(run.slice(0, 2))
}

/** The row of dashes below the header of a table. */
const delimiterRow = /^ {0,3}(?=.*\|)\|? *:?-+:? *(?:\| *:?-+:? *)*\|?$/

/** Adds a delimiter row below the header of a table. Without it the header would be rendered as a paragraph. */
function withDelimiterRow(text: string): string {
  const [line = '', lineBefore = ''] = text.trimEnd().split('\n').slice(-2).reverse()
  if (!/^ *\|/.test(line) || /^ *\|/.test(lineBefore) || delimiterRow.test(lineBefore)) return text
  const cells = line
    .replace(/\\./g, '')
    .replace(/^ *\||\|$/g, '')
    .split('|')
  return `${text.trimEnd()}\n${'|-'.repeat(cells.length)}|`
}
