import type { ComponentChild, JSX } from 'preact'
import { icon } from './icons.tsx'

type Attributes = JSX.IntrinsicElements['button']

/** A button; without more, one in a line of text. */
export function button(content: ComponentChild, onClick: Attributes['onClick'], more?: Attributes): JSX.Element {
  return (
    // Without a type: outside of a form it submits nothing, and in one it should.
    <button class="link" onClick={onClick} {...more}>
      {content}
    </button>
  )
}

/** A button that shows an icon and has a name for who can't see it. */
export function iconButton(
  name: string,
  path: string,
  onClick?: Attributes['onClick'],
  more?: Attributes,
): JSX.Element {
  return button(icon(path), onClick, { class: 'icon', 'aria-label': name, ...more })
}
