import type { ComponentChild, JSX } from 'preact'

// What closes a sentence or a bracket around an address is not part of it.
const address = /((?:https?:\/\/|mailto:)[^\s<>"]*[^\s<>"'.,:;!?)\]}])/i

/** Plain text with its http, https and mailto addresses as links, built as nodes: no markup is ever parsed. */
export function withLinks(text: string): ComponentChild[] {
  // Split by a group in brackets: what it caught is every second part.
  return text.split(address).map((part, index) => (index % 2 ? link(part, part) : part))
}

/** A link to an address that has been checked: a new tab, which knows nothing of this one. */
export function link(address: string, content: ComponentChild): JSX.Element {
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  )
}
