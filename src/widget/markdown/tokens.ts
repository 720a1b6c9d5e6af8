import { Lexer, type Token, Tokenizer } from 'marked'

/** Addresses that references stand for. */
export type References = Lexer['tokens']['links']

/** Ours: the lexer's time may grow with the square of a text, so what is longer than this is plain text. */
export const longestPiece = 4000

/** Quotes and lists in one another: nobody writes so many, and each level is read anew. */
const deep = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){9}/m

/** What a piece is made of; `null` where it is to be shown as it stands. Notes the references that it defines. */
/** Raw HTML stays text, and a line of `=` or `-` under a paragraph makes no heading of what was shown as a paragraph. */
class TextTokenizer extends Tokenizer {
  override html(): undefined {}
  override tag(): undefined {}
  override lheading(): undefined {}
}

export function readTokens(text: string, references: References): Token[] | null {
  if (text.length > longestPiece || deep.test(text)) return null
  // With options of its own: else the last text stands in those of all.
  const lexer = new Lexer({ gfm: true, tokenizer: new TextTokenizer() })
  lexer.tokens.links = references
  try {
    return lexer.lex(text)
  } catch {
    // Too much in one another for the stack.
    return null
  }
}
