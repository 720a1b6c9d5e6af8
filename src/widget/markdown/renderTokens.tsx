import type { MarkedToken, Token, Tokens } from 'marked'
import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Strings } from '../i18n/en.ts'
import { IconButton } from '../ui/elements.tsx'
import { Link, linkify } from '../ui/links.tsx'
import { decodeEntities, parseImageAddress, parseLinkAddress } from './decodeEntities.ts'

export type MarkdownStrings = Pick<Strings, 'copy' | 'copied' | 'code' | 'table'>

/** Options that are the same for the whole message. */
export interface RenderOptions {
  /** Whether images are loaded. If not, each is shown as a link. */
  images: boolean
  /** The depth of the message's first heading. */
  topHeadingDepth: number
  strings: MarkdownStrings
}

interface Context extends RenderOptions {
  /** The number of elements around the current one. */
  depth: number
  isInLink: boolean
}

/** Tokens nested more deeply are shown as they were written, because rendering is recursive. */
const maxDepth = 12

/** Renders tokens as elements. Text is never parsed as HTML, and only allowed addresses become links or images. */
export function renderTokens(tokens: readonly Token[], options: RenderOptions): ComponentChildren {
  return renderList(tokens, { ...options, depth: 0, isInLink: false })
}

function renderList(tokens: readonly Token[], context: Context): ComponentChildren {
  return tokens.map(token => renderToken(token as MarkedToken, context))
}

function renderToken(token: MarkedToken, context: Context): ComponentChildren {
  if (context.depth > maxDepth) return token.raw
  const renderChildren = (tokens: readonly Token[] = []) => renderList(tokens, { ...context, depth: context.depth + 1 })
  // Each block of the message determines its own text direction. Nested elements inherit it.
  const dir = context.depth ? undefined : 'auto'
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'heading': {
      // The first heading is one level below the panel's heading. In a screen reader, a skipped level sounds like missing
      // content.
      const level = Math.min(Math.max(token.depth - context.topHeadingDepth, 0) + 3, 6)
      const Heading = `h${level}` as 'h3'
      return <Heading dir={dir}>{renderChildren(token.tokens)}</Heading>
    }
    case 'paragraph':
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del': {
      const Tag = token.type === 'paragraph' ? 'p' : token.type
      return <Tag dir={dir}>{renderChildren(token.tokens)}</Tag>
    }
    case 'list': {
      const items = token.items.map(item => <li>{renderChildren(item.tokens)}</li>)
      if (!token.ordered) return <ul dir={dir}>{items}</ul>
      return (
        <ol dir={dir} start={token.start === 1 ? undefined : Number(token.start)}>
          {items}
        </ol>
      )
    }
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ '
    case 'table':
      return renderTable(token, renderChildren, context.strings)
    case 'code':
      return <CodeBlock text={token.text} language={token.lang} strings={context.strings} />
    case 'codespan':
      return <code>{token.text}</code>
    case 'link':
      return renderLink(token, context)
    case 'image':
      return renderImage(token, context)
    case 'text': {
      if (token.tokens) return renderChildren(token.tokens)
      const text = decodeEntities(token.raw)
      return context.isInLink ? text : linkify(text)
    }
    case 'escape':
      return token.text
    default:
      return isFootnote(token) ? <sup>{token.text}</sup> : token.raw
  }
}

const isFootnote = (token: Token): token is Tokens.Generic => token.type === 'footnote'

function renderLink({ href, title, tokens, raw }: Tokens.Link, context: Context): ComponentChildren {
  const address = parseLinkAddress(href)
  if (!address) return raw
  const text = plainText(tokens)
  return (
    <Link href={address} title={title && decodeEntities(title)} text={text.trim() ? text : address}>
      {text.trim() ? renderList(tokens, { ...context, depth: context.depth + 1, isInLink: true }) : undefined}
    </Link>
  )
}

function renderImage({ href, text, title }: Tokens.Image, { images, isInLink }: Context): ComponentChildren {
  const src = parseImageAddress(href)
  const alt = decodeEntities(text)
  // Preact sets attributes in this order. `src` starts the loading, so `loading` and `referrerpolicy` must come first.
  if (images && src)
    return <img loading="lazy" referrerpolicy="no-referrer" alt={alt} title={title ?? undefined} src={src} />
  const address = parseLinkAddress(href)
  const label = alt || decodeEntities(href)
  return address && !isInLink ? <Link href={address} title={title} text={label} /> : label
}

const copyIcon = 'M9 9h11v11H9zM5 15H4V4h11v1'

interface CodeBlockProps {
  text: string
  language: string | undefined
  strings: MarkdownStrings
}

/** Code with its language and a button that copies it. */
function CodeBlock({ text, language, strings }: CodeBlockProps): JSX.Element {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setIsCopied(true)
    } catch {
      // The browser has denied access to the clipboard. The visitor can still select the text.
    }
  }
  // "Copied" is shown until the pointer or the focus leaves the button, so there is no timer to clean up.
  const reset = () => setIsCopied(false)
  return (
    <div class="code" dir="ltr">
      <div class="tools">
        <span>{language}</span>
        <span role="status">{isCopied && strings.copied}</span>
        {/* Pages served over plain http have no clipboard. */}
        {navigator.clipboard && (
          <IconButton label={strings.copy} path={copyIcon} onClick={copy} onBlur={reset} onPointerLeave={reset} />
        )}
      </div>
      <pre {...scrollableProps(strings.code)}>
        <code>{text}</code>
      </pre>
    </div>
  )
}

function renderTable(
  { header, rows }: Tokens.Table,
  renderChildren: (tokens: Token[]) => ComponentChildren,
  strings: MarkdownStrings,
): JSX.Element {
  const renderCells = (Cell: 'th' | 'td', cells: Tokens.TableCell[]) =>
    cells.map(({ align, tokens }) => <Cell align={align ?? undefined}>{renderChildren(tokens)}</Cell>)
  return (
    <div class="scroll" dir="auto" {...scrollableProps(strings.table)}>
      <table>
        <thead>
          <tr>{renderCells('th', header)}</tr>
        </thead>
        <tbody>
          {rows.map(cells => (
            <tr>{renderCells('td', cells)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function plainText(tokens: readonly Token[]): string {
  return (tokens as readonly MarkedToken[])
    .map(token => {
      if (token.type === 'image') return decodeEntities(token.text)
      if (token.type === 'text') return decodeEntities(token.raw)
      return 'tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : token.raw
    })
    .join('')
}

/**
 * Attributes that make a scrolling element focusable and give it an accessible name. Its role is not `region`, because
 * regions are landmarks of the page.
 */
const scrollableProps = (label: string) => ({ role: 'group', 'aria-label': label, tabIndex: 0 }) as const
