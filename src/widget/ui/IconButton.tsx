import type { JSX } from 'preact'
import { Icon } from './Icon.tsx'

interface IconButtonProps extends Omit<JSX.IntrinsicElements['button'], 'label' | 'path' | 'icon'> {
  /** The accessible name. */
  label: string
  /** The path of the icon. */
  path: string
}

/** A button that shows an icon only. */
export function IconButton({ label, path, ...attributes }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class="icon" aria-label={label} {...attributes}>
      <Icon path={path} />
    </button>
  )
}
