import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { AccountForm } from '../account/AccountForm.tsx'
import { Field } from '../account/Field.tsx'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { fill } from '../i18n/format.ts'
import { type Rights, RightsFields } from './RightsFields.tsx'

interface InviteDialogProps {
  onInvited(): void
  onClose(): void
}

/** Invites somebody, and shows the link once. */
export function InviteDialog({ onInvited, onClose }: InviteDialogProps): JSX.Element {
  const { api, strings } = useDesk()
  const texts = strings.team
  const rights = useSignal<Rights>({ role: 'agent', botIds: null })
  const invited = useSignal<{ email: string; link: string } | null>(null)
  const isCopied = useSignal(false)

  async function invite(read: (name: string) => string) {
    const email = read('email')
    const { data } = await api.post<'invite'>('/team/invitations', { email, ...rights.value })
    invited.value = { email, link: `${location.origin}/desk/invite#${data.token}` }
    onInvited()
  }
  const copy = async (link: string) => {
    await navigator.clipboard.writeText(link)
    isCopied.value = true
  }
  return (
    <Dialog label={texts.inviteTitle} onClose={onClose}>
      <div class="dialog-content">
        <h2>{texts.inviteTitle}</h2>
        {invited.value ? (
          <>
            <Field
              name="link"
              label={fill(texts.link, invited.value)}
              hint={texts.linkHint}
              input={{
                value: invited.value.link,
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
              <button
                type="button"
                class="button primary"
                onClick={() => invited.value && copy(invited.value.link).catch(() => {})}
              >
                {isCopied.value ? texts.copied : texts.copy}
              </button>
            </form>
          </>
        ) : (
          <AccountForm
            submitText={texts.invite}
            onSubmit={invite}
            explain={({ code }) => {
              if (code !== 'invalid_request') return undefined
              return rights.value.botIds?.length === 0 ? texts.chooseBot : texts.inviteRefused
            }}
          >
            <Field
              name="email"
              label={strings.app.email}
              input={{ type: 'email', autocomplete: 'off', required: true, autofocus: true }}
            />
            <RightsFields rights={rights} />
          </AccountForm>
        )}
      </div>
    </Dialog>
  )
}
