import { Component, type ComponentChildren } from 'preact'
import type { ParsedBlock } from './createMarkdownParser.ts'
import { type RenderOptions, renderTokens } from './renderTokens.tsx'

interface MarkdownBlockProps extends RenderOptions {
  block: ParsedBlock
}

/**
 * One block of a message. It renders again only if its block or an option has changed, so the finished blocks of a
 * streaming reply cost nothing. Don't memoize the elements instead: an element keeps the whole tree around it in memory.
 */
export class MarkdownBlock extends Component<MarkdownBlockProps> {
  override shouldComponentUpdate(next: MarkdownBlockProps): boolean {
    const { block, images, topHeadingDepth, strings } = this.props
    return (
      next.block !== block ||
      next.images !== images ||
      next.topHeadingDepth !== topHeadingDepth ||
      next.strings !== strings
    )
  }

  override render({ block, ...options }: MarkdownBlockProps): ComponentChildren {
    return renderTokens(block.tokens, options)
  }
}
