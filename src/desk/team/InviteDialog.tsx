import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { Field } from '../Field.tsx'
import { Form } from '../Form.tsx'
import type { Link } from './LinkDialog.tsx'
import { type Rights, RightsFields } from './RightsFields.tsx'

interface InviteDialogProps {
  onInvited(link: Link): void
  onClose(): void
}

/** Invites somebody. */
export function InviteDialog({ onInvited, onClose }: InviteDialogProps): JSX.Element {
  const { api, strings } = useDesk()
  const texts = strings.team
  const rights = useSignal<Rights>({ role: 'agent', botIds: null })
  return (
    <Dialog title={texts.inviteTitle} onClose={onClose}>
      <Form
        submitText={texts.invite}
        onSubmit={async read => {
          const email = read('email')
          const { data } = await api.post<'invite'>('/team/invitations', { email, ...rights.value })
          onInvited({ email, ...data })
        }}
        explain={({ code }) => {
          if (code !== 'invalid_request') return undefined
          return rights.value.botIds?.length === 0 ? texts.chooseBot : texts.inviteRefused
        }}
      >
        <Field name="email" label={strings.app.email} type="email" autocomplete="off" required autofocus />
        <RightsFields rights={rights} />
      </Form>
    </Dialog>
  )
}
