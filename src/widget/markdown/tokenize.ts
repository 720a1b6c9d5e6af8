import { type Hooks, Lexer, type Token, Tokenizer, type Tokens } from 'marked'
import { addressCharacters, parseUrl, trimAddress } from '../ui/links.tsx'
import { isCjk, maskCjk } from './cjk.ts'
import { parseLinkAddress } from './decodeEntities.ts'

export type Definition = Lexer['tokens']['links'][string]

/** What `[label]: address` lines define. */
export interface Definitions {
  /** The addresses by label. A footnote has an empty one; its label begins with `^`. */
  links: Record<string, Definition>
  /** Called with the address of each definition that a link uses. */
  onUse?: (address: string) => void
  /** Whether no others are definitions. */
  isComplete?: true
}

/** Matches a reference to a footnote, or the beginning of its text. */
const footnote = /^\[(\^[^\]\s]+)\]/

/**
 * Matches nine levels of quotes and lists. marked tokenizes each level again for every level around it, so text nested that
 * deeply is shown as it was written.
 */
const deeplyNested = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){9}/m

/** A block with more marks is shown as it was written: marked may search from each mark to the end of the text. */
const maxMarks = 1000

const webAddress = new RegExp(`^(?:https?://|www\\.)${addressCharacters}`, 'i')

/** Matches a link with a space in its address, which Markdown allows in angle brackets only. */
const linkWithSpace = /^(!?\[[^[\]\n]*\]\()((?:[^()<>"\n]|\([^()<>"\n]*\))+)\)/

/** marked's tokenizer without some syntax. If a method returns nothing, marked tries its next rule for the same text. */
class TextTokenizer extends Tokenizer {
  readonly #definitions: Definitions

  constructor(definitions: Definitions) {
    super()
    this.#definitions = definitions
  }

  // Raw HTML is shown as it was written, but line breaks: Markdown has none for the cells of tables.
  override html(): undefined {}
  override tag(): undefined {}
  override br(src: string): Tokens.Br | undefined {
    const [raw] = /^<\/?br *\/?>/i.exec(src) ?? []
    return raw ? { type: 'br', raw } : super.br(src)
  }

  // While a reply streams in, a line of `=` or `-` would turn the paragraph above into a heading.
  override lheading(): undefined {}

  // GitHub also deletes text between single tildes: "9~12, 13~18".
  override del(src: string, maskedSrc: string, prevChar?: string): Tokens.Del | undefined {
    return src.startsWith('~~') ? super.del(src, maskedSrc, charBefore(src, maskedSrc, prevChar)) : undefined
  }

  override emStrong(src: string, maskedSrc: string, prevChar?: string): Tokens.Em | Tokens.Strong | undefined {
    return super.emStrong(src, maskedSrc, charBefore(src, maskedSrc, prevChar))
  }

  // marked takes `<ns:element>` for a link and would drop the brackets.
  override autolink(src: string): Tokens.Link | undefined {
    return onlyLinkable(super.autolink(src))
  }

  // A link is shown as it was written if its address is not allowed. Otherwise the address would be lost.
  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    const token = super.link(src)
    if (token) return onlyLinkable(token)
    const [raw, text, address] = linkWithSpace.exec(src) ?? []
    const spaced = raw && super.link(`${text}<${address}>)`)
    return spaced ? onlyLinkable({ ...spaced, raw }) : undefined
  }

  override reflink(src: string, links: Definitions['links']): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    const [raw, label = ''] = footnote.exec(src) ?? []
    if (raw && Object.hasOwn(links, label))
      return { type: 'footnote', raw, text: label.slice(1) } as unknown as Tokens.Text
    // A link cannot contain another one, nor a picture: there the label is text.
    const token = this.lexer.state.inLink ? undefined : super.reflink(src, links)
    if (token && 'href' in token) this.#definitions.onUse?.(token.href)
    return token
  }

  // Definitions are not shown. Show one whose address no link may use, or does, so that no text is lost.
  override def(src: string): Tokens.Def | undefined {
    if (footnote.test(src.trimStart())) return
    const token = onlyLinkable(super.def(src))
    const { links, isComplete } = this.#definitions
    return token && !(isComplete && links[token.tag]?.href !== token.href) ? token : undefined
  }

  // marked would drop the cells of a row that has more of them than the header. They become text of the last cell.
  override table(src: string): Tokens.Table | undefined {
    const token = super.table(src)
    const columns = token?.align.length ?? 0
    const rows = token?.raw.split('\n').map((row, index) => (index > 1 ? joinExcessCells(row, columns) : row))
    const fitting = rows?.join('\n')
    return token && fitting !== token.raw
      ? { ...(super.table(fitting as string) as Tokens.Table), raw: token.raw }
      : token
  }

  // marked would end an address at nested parentheses, and not at the punctuation of Chinese and Japanese. Mail addresses
  // are linked when the text is rendered: at this place it is unknown what stands before them.
  override url(src: string): Tokens.Link | undefined {
    const [match] = webAddress.exec(src) ?? []
    if (!match) return
    // An entity at the end, such as `&quot;`, is punctuation after the address.
    const raw = trimAddress(match.replace(/&[a-z\d]{2,31};$/i, ''))
    const href = /^www\./i.test(raw) ? `http://${raw}` : raw
    if (!parseUrl(href)) return
    return { type: 'link', raw, text: raw, href, tokens: [{ type: 'text', raw, text: raw }] }
  }
}

/** The character before a mark, or none if the mark may begin emphasis after any: beside Chinese, Japanese and Korean. */
function charBefore(src: string, maskedSrc: string, prevChar?: string): string | undefined {
  const start = maskedSrc.length - src.length
  const [before = ''] = [...maskedSrc.slice(Math.max(start - 2, 0), start)].slice(-1)
  return !src.startsWith('_') && (isCjk(before) || isCjk(src.replace(/^[*~]+/, ''))) ? '' : prevChar
}

function joinExcessCells(row: string, columns: number): string {
  let left = columns - 1
  return row.replace(/^\s*\||\|\s*$|\\.|(\|)/g, (mark, separator) => (separator && left-- <= 0 ? '\\|' : mark))
}

const onlyLinkable = <T extends { href: string }>(token: T | undefined): T | undefined =>
  token && parseLinkAddress(token.href) ? token : undefined

/**
 * Returns the tokens of a text, or `null` if it should be shown as it was written. Adds the definitions in the text to
 * `definitions`.
 */
export function tokenize(text: string, definitions: Definitions): Token[] | null {
  if (deeplyNested.test(text) || countMarks(text) > maxMarks) return null
  // Pass options: otherwise marked keeps the lexer, and thereby the text, in its global defaults.
  const lexer = new Lexer({
    gfm: true,
    tokenizer: new TextTokenizer(definitions),
    hooks: { emStrongMask: maskCjk } as Hooks,
  })
  lexer.tokens.links = definitions.links
  try {
    return lexer.lex(indentBelowNumbers(text))
  } catch {
    // The nesting was too deep for the call stack.
    return null
  }
}

/**
 * Indents what is below a numbered item as far as Markdown asks for. Many write two spaces, which would end the list: "1." then
 * begins a new one.
 */
function indentBelowNumbers(text: string): string {
  let width = 0
  let missing = 0
  return text.replace(
    /^( *)((?:[-*+]|\d{1,9}[.)])? *)\S.*$/gm,
    (line: string, { length: indent }: string, marker: string) => {
      if (indent < 2) {
        width = /^\d/.test(marker) ? indent + marker.length : 0
        missing = 0
      } else if (!missing && indent < width && /^(?:[-*+]|1[.)]) /.test(marker)) missing = width - indent
      return ' '.repeat(missing) + line
    },
  )
}

const countMarks = (text: string): number => text.replace(/[^*_~`[\]]/g, '').length
