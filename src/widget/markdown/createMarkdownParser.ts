import type { Token, Tokens } from 'marked'
import { closeUnfinished, withholdUnclearLine } from './closeUnfinished.ts'
import { type Block, maxBlockLength, splitBlocks } from './splitBlocks.ts'
import { type Definition, type Definitions, tokenize } from './tokenize.ts'

/** A part of a message to render. It stays the same object until its content changes. */
export interface ParsedBlock {
  /** Offset in the message. */
  start: number
  /** The text that was tokenized. */
  source: string
  tokens: Token[]
}

const referenceDefinition = /^ {0,3}\[[^\]\n]+\]:/m
const footnoteDefinition = /^ {0,3}\[(\^[^\]\s]+)\]:/gm

/**
 * Creates the parser of one message. It caches what it has parsed, so that only the last block of a streaming reply is
 * tokenized again. It caches tokens, never elements: a Preact element keeps the whole tree around it in memory.
 */
export function createMarkdownParser(): (text: string, isStreaming: boolean) => ParsedBlock[] {
  let last: { text: string; isStreaming: boolean } | undefined
  let blocks: ParsedBlock[] = []
  return (text, isStreaming) => {
    if (text === last?.text && isStreaming === last.isStreaming) return blocks
    last = { text, isStreaming }
    const normalized = text.replace(/\r\n?/g, '\n')
    blocks = isStreaming ? tokenizeStreaming(normalized, blocks) : tokenizeComplete(normalized, blocks)
    return blocks
  }
}

function tokenizeStreaming(text: string, before: ParsedBlock[]): ParsedBlock[] {
  const blocks = splitBlocks(withholdUnclearLine(text))
  // Reference definitions are resolved only when the message is complete. Until then their links are text.
  return tokenizeBlocks(blocks, blocks.length - 1, before)
}

function tokenizeComplete(text: string, before: ParsedBlock[]): ParsedBlock[] {
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
  before: ParsedBlock[],
  definitions: Definitions = { links: Object.create(null) },
): ParsedBlock[] {
  return blocks.map(({ start, text, code }, index) => {
    const isMarkdown = !code && text.length <= maxBlockLength
    const source = isMarkdown && index === unfinished ? closeUnfinished(text) : text
    const same = before[index]
    if (same?.start === start && same.source === source) return same
    if (code) return { start, source, tokens: [{ type: 'code', raw: text, text: code.text, lang: code.language }] }
    const tokens = isMarkdown ? tokenize(source, definitions) : null
    return { start, source, tokens: tokens ?? [paragraphAsWritten(text)] }
  })
}

/** Returns a paragraph that shows the text as it was written. */
function paragraphAsWritten(text: string): Tokens.Paragraph {
  return { type: 'paragraph', raw: text, text, tokens: [{ type: 'escape', raw: text, text }] }
}
