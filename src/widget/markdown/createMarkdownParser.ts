import type { Token, Tokens } from 'marked'
import { closeUnfinished, withholdUnclearLine } from './closeUnfinished.ts'
import { type Block, maxBlockLength, splitBlocks } from './splitBlocks.ts'
import { type References, tokenize } from './tokenize.ts'

/** A part of a message to render: the same object as long as nothing in it has changed. */
export interface ParsedBlock {
  /** Offset in the message. */
  start: number
  tokens: Token[]
}

export type MarkdownParser = (text: string, isStreaming: boolean) => ParsedBlock[]

interface TokenizedBlock extends ParsedBlock {
  /** What has been tokenized. */
  source: string
  /** It holds only further rows of the table before it. */
  continuesTable: boolean
}

interface JoinedBlock extends ParsedBlock {
  /** A block, and those that continue its table. */
  parts: TokenizedBlock[]
}

const referenceDefinition = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * Creates the parser of one message. It remembers what it has parsed: of a message that streams in, only the last block
 * is tokenized again. It keeps tokens, never elements: an element of Preact keeps the whole tree that it was rendered
 * in from being collected.
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
  // A link whose definition has not come yet is text until the message is complete.
  return tokenizeBlocks(blocks, blocks.length - 1, before)
}

function tokenizeComplete(text: string, before: TokenizedBlock[]): TokenizedBlock[] {
  const blocks = splitBlocks(text)
  if (!referenceDefinition.test(text)) return tokenizeBlocks(blocks, undefined, before)
  // A definition may stand after the links that refer to it.
  const references: References = Object.create(null)
  tokenizeBlocks(blocks, undefined, [], references)
  return tokenizeBlocks(blocks, undefined, [], references)
}

/** Tokenizes blocks, but for those that have not changed. The one with the index `unfinished` may end anywhere. */
function tokenizeBlocks(
  blocks: Block[],
  unfinished: number | undefined,
  before: TokenizedBlock[],
  references?: References,
): TokenizedBlock[] {
  const tokenized: TokenizedBlock[] = []
  for (const [index, block] of blocks.entries()) {
    const table = block.continuesTable && tokenized.at(-1)?.tokens.at(-1)
    const header = table && table.type === 'table' ? table.raw.split('\n', 2).join('\n').concat('\n') : ''
    const isTooLong = !block.code && header.length + block.text.length > maxBlockLength
    const isUnfinished = index === unfinished && !block.code && !isTooLong
    const source = isUnfinished ? closeUnfinished(header + block.text) : header + block.text
    const same = before[index]
    if (same?.start === block.start && same.source === source) tokenized.push(same)
    else {
      const tokens = isTooLong ? null : tokensOf(block, source, references ?? Object.create(null))
      tokenized.push({
        start: block.start,
        source,
        continuesTable: header !== '',
        tokens: tokens ?? [asWritten(block.text)],
      })
    }
  }
  return tokenized
}

function tokensOf({ code, text }: Block, source: string, references: References): Token[] | null {
  if (!code) return tokenize(source, references)
  return [{ type: 'code', raw: text, text: code.text, lang: code.language }]
}

/** A paragraph in which nothing is Markdown. */
function asWritten(text: string): Tokens.Paragraph {
  return { type: 'paragraph', raw: text, text, tokens: [{ type: 'escape', raw: text, text }] }
}

/** Joins the parts of long tables. Keeps the objects of what has not changed. */
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
  const tokens = parts[0]?.tokens.slice() ?? []
  for (const part of parts.slice(1)) {
    const table = tokens.pop() as Tokens.Table
    const [first, ...others] = part.tokens as [Token, ...Token[]]
    const rows = first.type === 'table' ? (first as Tokens.Table).rows : [rowAsWritten(first, table)]
    tokens.push({ ...table, rows: [...table.rows, ...rows] }, ...others)
  }
  return tokens
}

/** A row too long to be tokenized, in the first of the table's columns. */
function rowAsWritten(paragraph: Token, { header }: Tokens.Table): Tokens.TableCell[] {
  return header.map(({ align }, column) => ({
    text: '',
    header: false,
    align,
    tokens: column ? [] : [{ type: 'escape', raw: paragraph.raw, text: paragraph.raw }],
  }))
}
