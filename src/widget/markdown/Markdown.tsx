import { Component, type ComponentChildren, type JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { createMarkdownParser, type ParsedBlock } from './createMarkdownParser.ts'
import { type MarkdownStrings, type RenderOptions, renderTokens } from './renderTokens.tsx'

export interface MarkdownProps {
  text: string
  /** Whether images are loaded. If not, each is shown as a link. */
  images: boolean
  /** Whether the text is still growing. Its end is then rendered as what it will most likely become. */
  isStreaming: boolean
  /** A new object whenever the language changes, so that blocks render again. */
  strings: MarkdownStrings
}

/**
 * A message in Markdown. Keep its key when a streaming reply becomes a stored message, so that the parsed blocks are
 * reused.
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
 * Returns how much of the text to parse. When this chunk has been fetched, a reply is often long already, and the first run
 * of the parser is slow. So each frame parses a little more, and the rest is shown as plain text.
 */
function useParsedLength(text: string, isStreaming: boolean): number {
  const [length, setLength] = useState(isStreaming ? charactersPerFrame : Infinity)
  useEffect(() => {
    if (length < Infinity) setLength(length < text.length ? length + charactersPerFrame : Infinity)
  }, [length])
  return isStreaming ? length : Infinity
}

interface MarkdownBlockProps extends RenderOptions {
  block: ParsedBlock
}

/**
 * One block of a message. It renders again only if its block or an option has changed, so the finished blocks of a
 * streaming reply cost nothing. Don't memoize the elements instead: an element keeps the whole tree around it in memory.
 */
class MarkdownBlock extends Component<MarkdownBlockProps> {
  override shouldComponentUpdate(next: MarkdownBlockProps): boolean {
    return (Object.keys(next) as (keyof MarkdownBlockProps)[]).some(name => next[name] !== this.props[name])
  }

  override render({ block, ...options }: MarkdownBlockProps): ComponentChildren {
    return renderTokens(block.tokens, options)
  }
}

/** Returns the depth of the first heading outside of quotes and lists. */
function findTopHeadingDepth(blocks: ParsedBlock[]): number {
  for (const { tokens } of blocks) for (const token of tokens) if (token.type === 'heading') return token['depth']
  return 1
}
