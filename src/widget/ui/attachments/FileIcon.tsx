import type { JSX } from 'preact'
import { Icon } from '../Icon.tsx'

const pagePath = 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5'

/** Stands for a file that is not shown as a picture. */
export function FileIcon(): JSX.Element {
  return (
    <span class="file-icon">
      <Icon path={pagePath} />
    </span>
  )
}
