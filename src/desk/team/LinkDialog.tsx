import type { JSX } from 'preact'
import { CopyField } from '../CopyField.tsx'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { interpolate } from '../i18n/format.ts'

/** What an admin sends to somebody. `token` is that of an invitation or of a link for a new password. */
export interface Link {
  email: string
  token: string
}

/** Shows a link, once. */
export function LinkDialog({ email, token, onClose }: Link & { onClose(): void }): JSX.Element {
  const texts = useDesk().strings.team
  return (
    <Dialog title={email} onClose={onClose}>
      <CopyField
        name="link"
        label={interpolate(texts.link, { email })}
        hint={texts.linkHint}
        value={`${location.origin}/desk/invite#${token}`}
      />
    </Dialog>
  )
}
