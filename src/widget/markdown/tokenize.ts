import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'
import { parseUrl, trimAddress } from '../ui/links.tsx'
import { parseLinkAddress } from './linkAddress.ts'

/** The addresses that `[label]: address` lines define, by label. */
export type References = Lexer['tokens']['links']

/**
 * Nine levels of quotes and lists. Each level is tokenized again by the level around it, so deep nesting is shown as
 * text instead.
 */
const deeplyNested = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){9}/m

/** Nobody writes more in one block, and marked can look from each mark to the end of the text. */
const maxMarks = 1000

/** Marked's tokenizer without the syntax that is text here. A method that returns nothing leaves the syntax to the next one. */
class TextTokenizer extends Tokenizer {
  // Raw HTML is shown as it was written.
  override html(): undefined {}
  override tag(): undefined {}

  // A line of `=` or `-` would turn the paragraph above, which has been shown as one, into a heading.
  override lheading(): undefined {}

  // `<ns:element>` looks like a link to marked, and would lose its brackets.
  override autolink(src: string): Tokens.Link | undefined {
    return onlyLinkable(super.autolink(src))
  }

  // A definition is not shown. One that no link can use stays, so that no text is lost.
  override def(src: string): Tokens.Def | undefined {
    return onlyLinkable(super.def(src))
  }

  // Marked ends an address at nested parentheses.
  override url(src: string): Tokens.Link | undefined {
    const [match] = /^(?:https?:\/\/|www\.)[^\s<]+/i.exec(src) ?? []
    if (!match) return super.url(src)
    // An entity at the end stands for punctuation, such as `&quot;`.
    const raw = trimAddress(match.replace(/&[a-z\d]{2,31};$/i, ''))
    const href = /^www\./i.test(raw) ? `http://${raw}` : raw
    if (!parseUrl(href)) return
    return { type: 'link', raw, text: raw, href, tokens: [{ type: 'text', raw, text: raw }] }
  }
}

const onlyLinkable = <T extends { href: string }>(token: T | undefined): T | undefined =>
  token && parseLinkAddress(token.href) ? token : undefined

/**
 * The tokens of a text, or null where it should be shown as it was written. Definitions in the text are added to
 * `references`.
 */
export function tokenize(text: string, references: References): Token[] | null {
  if (deeplyNested.test(text) || countMarks(text) > maxMarks) return null
  // Options of its own: marked would keep the lexer, and so the text, in its global defaults.
  const lexer = new Lexer({ gfm: true, tokenizer: new TextTokenizer() })
  lexer.tokens.links = references
  try {
    return lexer.lex(text)
  } catch {
    // Nested too deeply for the stack.
    return null
  }
}

const countMarks = (text: string): number => text.replace(/[^*_~`[\]]/g, '').length
