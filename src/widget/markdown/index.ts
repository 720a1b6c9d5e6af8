import type { ComponentChild } from 'preact'
import css from '../styles/markdown.css?inline'
import { createNodes, type Manner, type Parts } from './nodes.ts'
import { type Piece, splitPieces } from './pieces.ts'
import { longestPiece, type References, readTokens } from './tokens.ts'
import { closeOpen, withoutUnclearLine } from './unfinished.ts'

/** A text to draw, and how. */
export interface MarkdownText {
  text: string
  /** Whether pictures may be fetched. */
  images: boolean
  /** There is more to come. */
  growing: boolean
}

interface Drawn extends Piece {
  nodes: ComponentChild
}

interface Memo extends MarkdownText {
  /** The language that the words are in. */
  copy: string
  pieces: Drawn[]
  node: ComponentChild
}

/**
 * Makes the function that draws Markdown; its styles go into the root. What it has drawn it remembers by `owner`, for as
 * long as that lives: the same text is not read again, and of a text that grows only the last piece is.
 */
export function createMarkdown(
  root: ShadowRoot,
  parts: Parts,
): (owner: object, markdown: MarkdownText) => ComponentChild {
  const { h, strings } = parts
  const nodes = createNodes(parts)
  const memos = new WeakMap<object, Memo>()
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)

  return (owner, { text: given, images, growing }) => {
    const written = given.replace(/\r\n?/g, '\n')
    const text = growing ? withoutUnclearLine(written) : written
    const before = memos.get(owner)
    const same = before?.images === images && before.copy === strings().copy ? before : undefined
    if (same?.text === text && same.growing === growing) return same.node
    const how = { images, top: /^ {0,3}(#+) /m.exec(text)?.[1]?.length ?? 1 }
    const pieces = growing ? readOn(same?.growing ? same : undefined, text, how) : readWhole(text, how)
    const node = h(
      'div',
      { class: 'markdown' },
      pieces.map(piece => piece.nodes),
    )
    memos.set(owner, { text, images, growing, copy: strings().copy, pieces, node })
    return node
  }

  /** A complete text. References may stand before what they refer to is said. */
  function readWhole(text: string, how: Manner): Drawn[] {
    const references: References = Object.create(null)
    const pieces = splitPieces(text)
    if (/^ {0,3}\[[^\]\n]+\]:/m.test(text)) for (const piece of pieces) read(piece, piece.text, references)
    return pieces.map(piece => draw(piece, piece.text, how, references))
  }

  /** A text of which the beginning has been drawn. */
  function readOn(memo: Memo | undefined, text: string, how: Manner): Drawn[] {
    const last = memo?.pieces.at(-1)
    const isLonger = memo && last && text.startsWith(memo.text.slice(0, last.at + last.text.length))
    const kept = isLonger ? memo.pieces.slice(0, -1) : []
    const from = isLonger ? last.at : 0
    const added = splitPieces(text.slice(from)).map(piece => ({ ...piece, at: piece.at + from }))
    return [
      ...kept,
      ...added.map((piece, index) => {
        const isLast = index === added.length - 1
        const shown = isLast && piece.text.length <= longestPiece ? closeOpen(piece.text) : piece.text
        return draw(piece, shown, how, Object.create(null))
      }),
    ]
  }

  function read({ code }: Piece, text: string, references: References) {
    return code === undefined ? readTokens(text, references) : null
  }

  function draw(piece: Piece, text: string, how: Manner, references: References): Drawn {
    const { code, language } = piece
    const tokens = read(piece, text, references)
    if (tokens) return { ...piece, nodes: nodes.draw(tokens, how) }
    // What holds too much to be read stands as it has been written.
    return {
      ...piece,
      nodes: code === undefined ? h('p', { dir: 'auto' }, text) : nodes.code(code.replace(/\n$/, ''), language),
    }
  }
}
