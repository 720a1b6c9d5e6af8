/** A part of a message that is read by itself; what is added to the message changes the last one only. */
export interface Piece {
  /** Where it begins in the message. */
  at: number
  text: string
  /** Of a fenced block at the margin, which needs no reading: what it holds, and in which language. */
  code?: string
  language?: string
}

/** Ours: what is longer is parted wherever that does little harm, since much at once is not read at all. */
const long = 2000

const listMarker = /^ {0,3}(?:([-*+])|\d{1,9}([.)]))(?:[ \t]|$)/
const fenceMarker = /^([ \t]*)(`{3,}(?!.*`)|~{3,})[ \t]*([^\s`]*)/

/**
 * Parts a message at blank lines and at fences: reading it costs as much as its pieces, and while the last one grows,
 * the others cost nothing. A list stays in one piece, with the code in it. Each line is looked at once.
 */
export function splitPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  /** The marker of the list that the piece ends with, without its number. */
  let list: string | undefined
  let blank = false
  let fence: { mark: string; language: string; from: number; inList: boolean } | undefined

  const cut = (end: number, code?: Pick<Piece, 'code' | 'language'>) => {
    const part = text.slice(start, end)
    if (part.trim()) pieces.push({ at: start, text: part, ...code })
    start = end
    list = fence = undefined
  }

  const read = (line: string, at: number, end: number, atMargin: boolean) => {
    const [, bullet, delimiter] = listMarker.exec(line) ?? []
    const marker = bullet ?? delimiter
    const isLong = at - start > long
    if (atMargin && (blank ? isLong || !list || list !== marker : isLong && list && marker)) cut(at)
    blank = !line
    if (marker && atMargin) list = marker
    const [, indent = '', mark, language = ''] = fenceMarker.exec(line) ?? []
    if (!mark) return
    const inList = indent.length > 1
    if (!inList) cut(at)
    fence = { mark, language, from: end, inList }
  }

  for (let at = 0, end = 0; at < text.length; at = end) {
    end = text.indexOf('\n', at) + 1 || text.length
    const line = text.slice(at, end).trimEnd()
    const atMargin = /^ ?\S/.test(line)
    if (!fence) read(line, at, end, atMargin)
    else if (closes(line, fence.mark)) {
      if (fence.inList) fence = undefined
      else cut(end, { code: text.slice(fence.from, at), language: fence.language })
    } else if (fence.inList && atMargin) {
      // What is no longer indented ends the list, and the fence in it.
      fence = undefined
      read(line, at, end, atMargin)
    }
  }
  if (fence && !fence.inList) cut(text.length, { code: text.slice(fence.from), language: fence.language })
  else cut(text.length)
  return pieces
}

function closes(line: string, mark: string): boolean {
  const closing = line.trim()
  return closing.startsWith(mark) && /^(?:`+|~+)$/.test(closing)
}
