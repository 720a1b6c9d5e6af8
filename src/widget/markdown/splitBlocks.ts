/** A part of a message that is tokenized on its own. */
export interface Block {
  /** Offset in the message. */
  start: number
  text: string
  /** The content of a fenced code block, which needs no tokenizing. */
  code?: { text: string; language: string }
}

/** A longer block is shown as it was written, because marked can take quadratic time. */
export const maxBlockLength = 4000

/** A longer block is split at the next place where that changes little. */
const targetLength = 2000

const listMarker = /^ {0,3}(?:([-*+])|\d{1,9}([.)]))(?:[ \t]|$)/
const fenceMarker = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)/

/**
 * Splits a message at blank lines and around fenced code, and between the lines of what would be too long. Each split
 * depends only on the text before it, so appending text changes only the last block. A list and the code in it stay in one
 * block. Takes linear time.
 */
export function splitBlocks(text: string): Block[] {
  const splitter = new BlockSplitter(text)
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = text.indexOf('\n', start) + 1 || text.length
    splitter.readLine({ start, end, text: text.slice(start, end).trimEnd() })
  }
  return splitter.finish()
}

interface Line {
  start: number
  end: number
  /** Without trailing blanks. */
  text: string
}

interface Fence {
  marker: string
  language: string
  codeStart: number
  /** Whether it belongs to a list item. Then it does not end the block. */
  isIndented: boolean
}

class BlockSplitter {
  readonly #text: string
  readonly #blocks: Block[] = []
  /** Where the current block starts. */
  #start = 0
  #previousLine = ''
  /** The open code fence. */
  #fence: Fence | undefined
  /** The bullet or delimiter of the list at the end of the current block. */
  #list: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  readLine(line: Line): void {
    const fence = this.#fence
    if (!fence) this.#readMarkdown(line)
    else if (closesFence(line.text, fence.marker)) {
      this.#fence = undefined
      if (!fence.isIndented) this.#endCode(line.start, line.end, fence)
    } else if (fence.isIndented && isAtMargin(line.text)) {
      // A line that is not indented ends the list item, and the fence in it.
      this.#fence = undefined
      this.#readMarkdown(line)
    }
    this.#previousLine = line.text
  }

  finish(): Block[] {
    const end = this.#text.length
    if (this.#fence && !this.#fence.isIndented) this.#endCode(end, end, this.#fence)
    else this.#endBlock(end)
    return this.#blocks
  }

  #readMarkdown(line: Line): void {
    const [, bullet, delimiter] = listMarker.exec(line.text) ?? []
    const list = bullet ?? delimiter
    if (isAtMargin(line.text) && this.#shouldSplitBefore(line, list)) this.#endBlock(line.start)
    if (isAtMargin(line.text) && list) this.#list = list
    const [, indent = '', marker, language = ''] = fenceMarker.exec(line.text) ?? []
    if (!marker) return
    const isIndented = indent.length > 1
    if (!isIndented) this.#endBlock(line.start)
    this.#fence = { marker, language, codeStart: line.end, isIndented }
  }

  #shouldSplitBefore(line: Line, list: string | undefined): boolean {
    const isLong = line.start - this.#start > targetLength
    if (!this.#previousLine) return isLong || !this.#list || this.#list !== list
    return line.end - this.#start > maxBlockLength || (isLong && !!this.#list && !!list)
  }

  #endCode(codeEnd: number, end: number, { codeStart, language }: Fence): void {
    const code = { text: this.#text.slice(codeStart, codeEnd).replace(/\n$/, ''), language }
    this.#blocks.push({ start: this.#start, text: this.#text.slice(this.#start, end), code })
    this.#startBlock(end)
  }

  #endBlock(end: number): void {
    const text = this.#text.slice(this.#start, end)
    if (text.trim()) this.#blocks.push({ start: this.#start, text })
    this.#startBlock(end)
  }

  #startBlock(start: number): void {
    this.#start = start
    this.#list = undefined
  }
}

/** Whether a line is neither part of a list item nor of indented code. */
const isAtMargin = (line: string) => /^ ?\S/.test(line)

function closesFence(line: string, marker: string): boolean {
  const closing = line.trim()
  return closing.startsWith(marker) && /^(?:`+|~+)$/.test(closing)
}
