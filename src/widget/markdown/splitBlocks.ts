/** A part of a message that is tokenized on its own. */
export interface Block {
  /** Offset in the message. */
  start: number
  text: string
  /** The content of a fenced code block, which needs no tokenizing. */
  code?: { text: string; language: string }
  /** Set if it contains further rows of the table at the end of the block before. */
  continuesTable?: true
}

/** A longer block is shown as it was written, because marked can take quadratic time. */
export const maxBlockLength = 4000

/** A longer block is split at the next place where that changes little. */
const targetLength = 2000

const listMarker = /^ {0,3}(?:([-*+])|\d{1,9}([.)]))(?:[ \t]|$)/
const fenceMarker = /^([ \t]*)(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)/
const delimiterRow = /^ {0,3}(?=.*\|)\|? *:?-+:? *(?:\| *:?-+:? *)*\|?$/

/** Whether a line is the row of dashes below the header of a table. */
export const isDelimiterRow = (line: string): boolean => delimiterRow.test(line)

/**
 * Splits a message at blank lines, around fenced code, and between the rows of a long table. Each split depends only on the
 * text before it, so appending text changes only the last block. A list and the code in it stay in one block. Takes linear
 * time.
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
  /** The length of the header and delimiter row of the table at the end of the current block. */
  #tableHeader: number | undefined
  /** Whether the current block continues that table. It is then tokenized with the header in front of it. */
  #continuesTable = false

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
    if (isAtMargin(line.text) && this.#shouldSplitBefore(line, list)) this.#endBlock(line.start, this.#tableHeader)
    if (isAtMargin(line.text) && list) this.#list = list
    this.#readTableLine(line)
    const [, indent = '', marker, language = ''] = fenceMarker.exec(line.text) ?? []
    if (!marker) return
    const isIndented = indent.length > 1
    if (!isIndented) this.#endBlock(line.start)
    this.#fence = { marker, language, codeStart: line.end, isIndented }
  }

  #shouldSplitBefore(line: Line, list: string | undefined): boolean {
    const isLong = line.start - this.#start > targetLength
    if (!this.#previousLine) return isLong || !this.#list || this.#list !== list
    const headerLength = this.#continuesTable ? (this.#tableHeader ?? 0) : 0
    const wouldBeTooLong = headerLength + line.end - this.#start > maxBlockLength
    return wouldBeTooLong || (isLong && !!(this.#tableHeader || (this.#list && list)))
  }

  #readTableLine(line: Line): void {
    if (!line.text) this.#tableHeader = undefined
    else if (!this.#tableHeader && !this.#list && this.#previousLine.includes('|') && isDelimiterRow(line.text))
      this.#tableHeader = this.#previousLine.length + line.text.length + 2
  }

  #endCode(codeEnd: number, end: number, { codeStart, language }: Fence): void {
    const code = { text: this.#text.slice(codeStart, codeEnd).replace(/\n$/, ''), language }
    this.#blocks.push({ start: this.#start, text: this.#text.slice(this.#start, end), code })
    this.#startBlock(end)
  }

  /** Ends the current block. With `tableHeader`, the next block continues the table. */
  #endBlock(end: number, tableHeader?: number): void {
    const text = this.#text.slice(this.#start, end)
    if (text.trim())
      this.#blocks.push({ start: this.#start, text, ...(this.#continuesTable && { continuesTable: true }) })
    this.#startBlock(end, tableHeader)
  }

  #startBlock(start: number, tableHeader?: number): void {
    this.#start = start
    this.#list = undefined
    this.#tableHeader = tableHeader
    this.#continuesTable = tableHeader !== undefined
  }
}

/** Whether a line is neither part of a list item nor of indented code. */
const isAtMargin = (line: string) => /^ ?\S/.test(line)

function closesFence(line: string, marker: string): boolean {
  const closing = line.trim()
  return closing.startsWith(marker) && /^(?:`+|~+)$/.test(closing)
}
