import { Lexer, type Token, Tokenizer, type Tokens } from 'marked'
import { parseUrl, trimAddress } from '../ui/links.tsx'
import { parseLinkAddress } from './linkAddress.ts'

/** The addresses that `[label]: address` lines define, by label. */
export type References = Lexer['tokens']['links']

/**
 * Matches nine levels of quotes and lists. marked tokenizes each level again for every level around it, so text nested that
 * deeply is shown as it was written.
 */
const deeplyNested = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){9}/m

/** A block with more marks is shown as it was written: marked may search from each mark to the end of the text. */
const maxMarks = 1000

/** marked's tokenizer without some syntax. If a method returns nothing, marked tries its next rule for the same text. */
class TextTokenizer extends Tokenizer {
  // Raw HTML is shown as it was written.
  override html(): undefined {}
  override tag(): undefined {}

  // While a reply streams in, a line of `=` or `-` would turn the paragraph above into a heading.
  override lheading(): undefined {}

  // marked takes `<ns:element>` for a link and would drop the brackets.
  override autolink(src: string): Tokens.Link | undefined {
    return onlyLinkable(super.autolink(src))
  }

  // Definitions are not shown. Show one whose address no link may use, so that no text is lost.
  override def(src: string): Tokens.Def | undefined {
    return onlyLinkable(super.def(src))
  }

  // marked would end an address at nested parentheses.
  override url(src: string): Tokens.Link | undefined {
    const [match] = /^(?:https?:\/\/|www\.)[^\s<]+/i.exec(src) ?? []
    if (!match) return super.url(src)
    // An entity at the end, such as `&quot;`, is punctuation after the address.
    const raw = trimAddress(match.replace(/&[a-z\d]{2,31};$/i, ''))
    const href = /^www\./i.test(raw) ? `http://${raw}` : raw
    if (!parseUrl(href)) return
    return { type: 'link', raw, text: raw, href, tokens: [{ type: 'text', raw, text: raw }] }
  }
}

const onlyLinkable = <T extends { href: string }>(token: T | undefined): T | undefined =>
  token && parseLinkAddress(token.href) ? token : undefined

/**
 * Returns the tokens of a text, or `null` if it should be shown as it was written. Adds the definitions in the text to
 * `references`.
 */
export function tokenize(text: string, references: References): Token[] | null {
  if (deeplyNested.test(text) || countMarks(text) > maxMarks) return null
  // Pass options: otherwise marked keeps the lexer, and thereby the text, in its global defaults.
  const lexer = new Lexer({ gfm: true, tokenizer: new TextTokenizer() })
  lexer.tokens.links = references
  try {
    return lexer.lex(text)
  } catch {
    // The nesting was too deep for the call stack.
    return null
  }
}

const countMarks = (text: string): number => text.replace(/[^*_~`[\]]/g, '').length
