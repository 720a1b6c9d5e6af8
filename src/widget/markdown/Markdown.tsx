import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { createMarkdownParser, type ParsedBlock } from './createMarkdownParser.ts'
import { MarkdownBlock } from './MarkdownBlock.tsx'
import type { MarkdownStrings } from './renderTokens.tsx'

export interface MarkdownProps {
  text: string
  /** Whether pictures may be fetched. Where not, each is a link. */
  images: boolean
  /** Whether more of the text is to come. Then its end is shown as what it will most likely become. */
  isStreaming: boolean
  /** Another object when the language has changed. */
  strings: MarkdownStrings
}

/**
 * A message in Markdown. Give it the same key while it streams in and when it is stored: what it has parsed stays with
 * it.
 */
export function Markdown({ text, images, isStreaming, strings }: MarkdownProps): JSX.Element {
  const parse = useMemo(createMarkdownParser, [])
  const parsedLength = useParsedLength(text, isStreaming)
  const blocks = parse(text.slice(0, parsedLength), isStreaming)
  const topHeadingDepth = findTopHeadingDepth(blocks)
  return (
    <div class="markdown">
      {blocks.map(block => (
        <MarkdownBlock
          key={block.start}
          block={block}
          images={images}
          topHeadingDepth={topHeadingDepth}
          strings={strings}
        />
      ))}
      {text.slice(parsedLength)}
    </div>
  )
}

const charactersPerFrame = 100

/**
 * How much of a text is parsed. A reply has come a long way by the time this chunk has been fetched, and a parser that has
 * never run is slow: it catches up frame by frame, and what it has not reached yet stays as it was written.
 */
function useParsedLength(text: string, isStreaming: boolean): number {
  const [length, setLength] = useState(isStreaming ? charactersPerFrame : Infinity)
  useEffect(() => {
    if (length < Infinity) setLength(length < text.length ? length + charactersPerFrame : Infinity)
  }, [length])
  return isStreaming ? length : Infinity
}

/** The depth of the first heading outside of quotes and lists. */
function findTopHeadingDepth(blocks: ParsedBlock[]): number {
  for (const { tokens } of blocks) for (const token of tokens) if (token.type === 'heading') return token['depth']
  return 1
}
