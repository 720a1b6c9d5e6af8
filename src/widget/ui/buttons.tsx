import type { JSX } from 'preact'
import { icon } from './icons.tsx'

/** A button that shows an icon and has a name for who can't see it. */
export function iconButton(name: string, path: string, props: JSX.IntrinsicElements['button']): JSX.Element {
  return (
    <button type="button" class="icon" aria-label={name} {...props}>
      {icon(path)}
    </button>
  )
}

/** A button in a line of text. */
export function linkButton(text: string, onClick: () => void): JSX.Element {
  return (
    <button type="button" class="link" onClick={onClick}>
      {text}
    </button>
  )
}
