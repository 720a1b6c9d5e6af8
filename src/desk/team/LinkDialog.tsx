import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { Field } from '../Field.tsx'
import { interpolate } from '../i18n/format.ts'

/** What an admin sends to somebody. `token` is that of an invitation or of a link for a new password. */
export interface Link {
  email: string
  token: string
}

/** Shows a link, once. */
export function LinkDialog({ email, token, onClose }: Link & { onClose(): void }): JSX.Element {
  const { strings } = useDesk()
  const texts = strings.team
  const isCopied = useSignal(false)
  const link = `${location.origin}/desk/invite#${token}`
  async function copy() {
    await navigator.clipboard.writeText(link)
    isCopied.value = true
  }
  return (
    <Dialog label={email} onClose={onClose}>
      <div class="dialog-content">
        <Field
          name="link"
          label={interpolate(texts.link, { email })}
          hint={texts.linkHint}
          input={{
            value: link,
            readOnly: true,
            dir: 'ltr',
            autofocus: true,
            onFocus: ({ currentTarget }) => currentTarget.select(),
          }}
        />
        <form method="dialog" class="dialog-actions">
          <button type="submit" class="button">
            {strings.app.close}
          </button>
          {/* Where the browser refuses it, the link can be selected. */}
          <button type="button" class="button primary" onClick={() => copy().catch(() => {})}>
            {isCopied.value ? strings.app.copied : strings.app.copy}
          </button>
        </form>
      </div>
    </Dialog>
  )
}
