import type { ComponentChild } from 'preact'

// What closes a sentence or a bracket around an address is not part of it.
const address = /(?:https?:\/\/|mailto:)[^\s<>"]*[^\s<>"'.,:;!?)\]}]/gi

/** Plain text with its http, https and mailto addresses as links, built as nodes: no markup is ever parsed. */
export function withLinks(text: string): ComponentChild[] {
  const parts: ComponentChild[] = []
  let end = 0
  for (const match of text.matchAll(address)) {
    const [href] = match
    parts.push(
      text.slice(end, match.index),
      <a href={href} target="_blank" rel="noopener noreferrer">
        {href}
      </a>,
    )
    end = match.index + href.length
  }
  return [...parts, text.slice(end)]
}
