import type { Token, Tokens } from 'marked'
import { closeUnfinished, withholdUnclearLine } from './closeUnfinished.ts'
import { type Block, maxBlockLength, splitBlocks } from './splitBlocks.ts'
import { type Definition, type Definitions, tokenize } from './tokenize.ts'

/** A part of a message to render. It stays the same object until its content changes. */
export interface ParsedBlock {
  /** Offset in the message. */
  start: number
  tokens: Token[]
}

export type MarkdownParser = (text: string, isStreaming: boolean) => ParsedBlock[]

interface TokenizedBlock extends ParsedBlock {
  /** The text that was tokenized. */
  source: string
  /** Whether it contains only further rows of the table in the block before. */
  continuesTable: boolean
}

interface JoinedBlock extends ParsedBlock {
  /** A block, followed by those that continue its table. */
  parts: TokenizedBlock[]
}

const referenceDefinition = /^ {0,3}\[[^\]\n]+\]:/m
const footnoteDefinition = /^ {0,3}\[(\^[^\]\s]+)\]:/gm

/**
 * Creates the parser of one message. It caches what it has parsed, so that only the last block of a streaming reply is
 * tokenized again. It caches tokens, never elements: a Preact element keeps the whole tree around it in memory.
 */
export function createMarkdownParser(): MarkdownParser {
  let last: { text: string; isStreaming: boolean } | undefined
  let tokenized: TokenizedBlock[] = []
  let joined: JoinedBlock[] = []
  return (text, isStreaming) => {
    if (text === last?.text && isStreaming === last.isStreaming) return joined
    last = { text, isStreaming }
    const normalized = text.replace(/\r\n?/g, '\n')
    tokenized = isStreaming ? tokenizeStreaming(normalized, tokenized) : tokenizeComplete(normalized, tokenized)
    joined = joinTables(tokenized, joined)
    return joined
  }
}

function tokenizeStreaming(text: string, before: TokenizedBlock[]): TokenizedBlock[] {
  const blocks = splitBlocks(withholdUnclearLine(text))
  // Reference definitions are resolved only when the message is complete. Until then their links are text.
  return tokenizeBlocks(blocks, blocks.length - 1, before)
}

function tokenizeComplete(text: string, before: TokenizedBlock[]): TokenizedBlock[] {
  const blocks = splitBlocks(text)
  if (!referenceDefinition.test(text)) return tokenizeBlocks(blocks, undefined, before)
  // A definition may come after the links that refer to it, so the first pass only collects definitions. One that no link
  // uses is shown as it was written, so the second pass looks for those that are used.
  const links: Definitions['links'] = Object.create(null)
  const used = new Set([''])
  for (const [, label = ''] of text.matchAll(footnoteDefinition)) links[label] = { href: '', title: null }
  tokenizeBlocks(blocks, undefined, [], { links })
  tokenizeBlocks(blocks, undefined, [], { links, onUse: address => used.add(address) })
  for (const label of Object.keys(links)) if (!used.has((links[label] as Definition).href)) delete links[label]
  return tokenizeBlocks(blocks, undefined, [], { links, isComplete: true })
}

/** Tokenizes the blocks that have changed. The text of the block with the index `unfinished` may end anywhere. */
function tokenizeBlocks(
  blocks: Block[],
  unfinished: number | undefined,
  before: TokenizedBlock[],
  definitions: Definitions = { links: Object.create(null) },
): TokenizedBlock[] {
  const tokenized: TokenizedBlock[] = []
  // Not `blocks.entries()`: Prototype.js replaces that method of arrays.
  blocks.forEach((block, index) => {
    const table = block.continuesTable ? tableAtEnd(tokenized.at(-1)) : undefined
    const text = table ? headerOf(table) + block.text : block.text
    const isTooLong = !block.code && text.length > maxBlockLength
    const source = index === unfinished && !block.code && !isTooLong ? closeUnfinished(text) : text
    const same = before[index]
    if (same?.start === block.start && same.source === source) tokenized.push(same)
    else {
      const tokens = isTooLong ? null : tokensOf(block, source, definitions)
      tokenized.push({
        start: block.start,
        source,
        continuesTable: !!table,
        tokens: tokens ?? [table ? rowAsWritten(block.text, table) : paragraphAsWritten(block.text)],
      })
    }
  })
  return tokenized
}

function tokensOf({ code, text }: Block, source: string, definitions: Definitions): Token[] | null {
  if (!code) return tokenize(source, definitions)
  return [{ type: 'code', raw: text, text: code.text, lang: code.language }]
}

function tableAtEnd(block: TokenizedBlock | undefined): Tokens.Table | undefined {
  const last = block?.tokens.at(-1)
  return last?.type === 'table' ? (last as Tokens.Table) : undefined
}

/** Returns the header and the delimiter row as text. */
const headerOf = (table: Tokens.Table): string => `${table.raw.split('\n', 2).join('\n')}\n`

/** Returns a paragraph that shows the text as it was written. */
function paragraphAsWritten(text: string): Tokens.Paragraph {
  return { type: 'paragraph', raw: text, text, tokens: [{ type: 'escape', raw: text, text }] }
}

/** Returns a table row that shows the text as it was written, in the first column. */
function rowAsWritten(text: string, table: Tokens.Table): Tokens.Table {
  const row = table.align.map((align, column) => {
    const tokens: Token[] = column ? [] : [{ type: 'escape', raw: text, text }]
    return { text: column ? '' : text, header: false, align, tokens }
  })
  return { ...table, rows: [row] }
}

/** Joins the parts of long tables. Blocks that have not changed keep their object. */
function joinTables(blocks: TokenizedBlock[], before: JoinedBlock[]): JoinedBlock[] {
  const groups: TokenizedBlock[][] = []
  for (const block of blocks) {
    const group = block.continuesTable && groups.at(-1)
    if (group) group.push(block)
    else groups.push([block])
  }
  return groups.map((parts, index) => {
    const same = before[index]
    if (same?.parts.length === parts.length && parts.every((part, i) => part === same.parts[i])) return same
    return { start: (parts[0] as TokenizedBlock).start, tokens: joinTokens(parts), parts }
  })
}

function joinTokens(parts: TokenizedBlock[]): Token[] {
  const tokens: Token[] = []
  for (const { continuesTable, tokens: added } of parts) {
    if (continuesTable) {
      const [table, more, ...others] = [tokens.pop(), ...added] as [Tokens.Table, Tokens.Table, ...Token[]]
      tokens.push({ ...table, rows: [...table.rows, ...more.rows] }, ...others)
    } else tokens.push(...added)
  }
  return tokens
}
