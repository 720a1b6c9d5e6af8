import type { MarkedToken, Token, Tokens } from 'marked'
import type { ComponentChild, h as createNode, JSX } from 'preact'
import { decodeCharacters } from './characters.ts'

/** What comes from the panel, so that there is one of each. */
export interface Parts {
  h: typeof createNode
  link(address: string, content: ComponentChild): JSX.Element
  iconButton(
    name: string,
    path: string,
    onClick: (event: { currentTarget: Element }) => unknown,
    more: JSX.IntrinsicElements['button'],
  ): JSX.Element
  /** In the language of each drawing. */
  strings(): Record<'copy' | 'copied' | 'code' | 'table', string>
}

/** What counts for all of a message. */
export interface Manner {
  /** Whether pictures may be fetched. */
  images: boolean
  /** The depth of its first heading. */
  top: number
}

/** Levels of marks in one another; what is deeper is shown as it stands, since drawing goes down as far. */
const deepest = 12

const copyPath = 'M9 9h11v11H9zM5 15H4V4h11v1'

/** Makes nodes of tokens. No markup is ever made of a text, and no address but the allowed ones becomes one. */
export function createNodes({ h, link, iconButton, strings }: Parts): {
  draw(tokens: readonly Token[], how: Manner): ComponentChild[]
  code(text: string, language?: string): JSX.Element
} {
  return { draw: (tokens, how) => list(tokens, how, 0), code }

  function list(tokens: readonly Token[], how: Manner, depth: number): ComponentChild[] {
    return tokens.map(token => node(token as MarkedToken, how, depth))
  }

  function node(token: MarkedToken, how: Manner, depth: number): ComponentChild {
    if (depth > deepest) return token.raw
    // Each block at the margin finds its own direction; what is in it has the same.
    const block = { dir: depth ? undefined : 'auto' } as const
    const within = (tokens: readonly Token[] = []) => list(tokens, how, depth + 1)
    switch (token.type) {
      case 'space':
      case 'def':
        return null
      case 'hr':
      case 'br':
        return h(token.type, null)
      case 'heading':
        // The first right under the panel's own: a level left out sounds like something missed.
        return h(`h${Math.min(Math.max(token.depth - how.top, 0) + 3, 6)}`, block, within(token.tokens))
      case 'paragraph':
        return h('p', block, within(token.tokens))
      case 'blockquote':
        return h('blockquote', block, within(token.tokens))
      case 'strong':
      case 'em':
      case 'del':
        return h(token.type, null, within(token.tokens))
      case 'list':
        return h(
          token.ordered ? 'ol' : 'ul',
          { ...block, start: token.start || undefined },
          token.items.map(item => h('li', null, within(item.tokens))),
        )
      case 'checkbox':
        return token.checked ? '☑ ' : '☐ '
      case 'table':
        return table(token, within)
      case 'code':
        return code(token.text, token.lang)
      case 'codespan':
        return h('code', null, token.text)
      case 'link':
        return anchor(token.href, within(token.tokens))
      case 'image':
        return image(token, how.images)
      case 'text':
        return token.tokens ? within(token.tokens) : decodeCharacters(token.text)
      case 'escape':
        return token.text
      default:
        return token.raw
    }
  }

  function anchor(href: string, content: ComponentChild): ComponentChild {
    const address = decodeCharacters(href)
    return /^(?:https?:\/\/|mailto:)/i.test(address) ? link(address, content) : content
  }

  function image({ href, text }: Tokens.Image, allowed: boolean): ComponentChild {
    const src = decodeCharacters(href)
    const alt = decodeCharacters(text)
    if (!allowed || !/^https?:\/\//i.test(src)) return anchor(href, alt || src)
    // What says how to load it comes before the address, which starts that.
    return h('img', { loading: 'lazy', referrerpolicy: 'no-referrer', alt, src })
  }

  function table({ header, rows }: Tokens.Table, within: (tokens: Token[]) => ComponentChild[]): JSX.Element {
    const row = (tag: 'th' | 'td', cells: Tokens.TableCell[]) =>
      h(
        'tr',
        null,
        cells.map(({ align, tokens }) => h(tag, { align: align ?? undefined }, within(tokens))),
      )
    return h(
      'div',
      { class: 'scroll', dir: 'auto', ...scrolls(strings().table) },
      h(
        'table',
        null,
        h('thead', null, row('th', header)),
        h(
          'tbody',
          null,
          rows.map(cells => row('td', cells)),
        ),
      ),
    )
  }

  function code(text: string, language?: string): JSX.Element {
    const copy = ({ currentTarget }: { currentTarget: Element }) =>
      navigator.clipboard.writeText(text).then(
        () => say(currentTarget, strings().copied),
        () => {},
      )
    const hush = ({ currentTarget }: { currentTarget: Element }) => say(currentTarget, '')
    return h(
      'div',
      { class: 'code', dir: 'ltr' },
      h(
        'div',
        { class: 'tools' },
        h('span', null, language),
        // Drawn empty each time, so that no drawing takes away what a click has written.
        h('span', { role: 'status' }),
        // A page without https has no clipboard.
        navigator.clipboard &&
          iconButton(strings().copy, copyPath, copy, { class: 'icon', onBlur: hush, onPointerLeave: hush }),
      ),
      h('pre', scrolls(strings().code), h('code', null, text)),
    )
  }
}

/** What is too wide scrolls by keys, too, and says what it is to who comes there. No region: those are a page's landmarks. */
const scrolls = (name: string) => ({ role: 'group' as const, 'aria-label': name, tabIndex: 0 })

/** What has been done stands beside its button until the pointer or the focus leaves that: no timer to be undone. */
function say(button: Element, words: string): void {
  if (button.previousSibling) button.previousSibling.textContent = words
}
