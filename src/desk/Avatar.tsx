import type { JSX } from 'preact'
import { Icon, personPath } from './Icon.tsx'

/** The initials of a person, or a glyph for a guest. */
export function Avatar({ name }: { name: string | undefined }): JSX.Element {
  return (
    <span class={name ? 'avatar' : 'avatar guest'} aria-hidden="true" translate={false}>
      {name ? initialsOf(name) : <Icon path={personPath} />}
    </span>
  )
}

/** The first letters of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map(word => [...(word ?? '')][0] ?? '')
  return letters.join('').toUpperCase()
}
