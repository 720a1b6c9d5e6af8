import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { TeamMember } from '../../contract/desk.ts'
import { useDesk } from '../DeskContext.ts'
import { Dialog } from '../Dialog.tsx'
import { Form } from '../Form.tsx'
import { interpolate } from '../i18n/format.ts'
import { Loaded, useLoadable } from '../Loaded.tsx'
import { type Rights, RightsFields } from './RightsFields.tsx'

interface MemberDialogProps {
  member: TeamMember
  onSaved(): void
  onPasswordLink(): void
  onRemove(): void
  onClose(): void
}

/** What a member may do, where it is signed in, and the way out of the team. */
export function MemberDialog({ member, onSaved, onPasswordLink, onRemove, onClose }: MemberDialogProps): JSX.Element {
  const { api, strings } = useDesk()
  const texts = strings.team
  const { name, role, botIds } = member
  const rights = useSignal<Rights>({ role, botIds })
  const methods = useLoadable(() => api.get<'retrieveSignInMethods'>('/session/methods'))
  return (
    <Dialog title={name} onClose={onClose}>
      <Form
        submitText={strings.app.save}
        onSubmit={async () => {
          await api.put<'updateMember'>(`/team/members/${member.id}`, rights.value)
          onSaved()
        }}
        explain={({ code }) => {
          if (code === 'last_admin') return texts.lastAdmin
          return code === 'invalid_request' ? texts.chooseBot : undefined
        }}
      >
        <RightsFields rights={rights} />
        <p class="meta">{interpolate(texts.saveHint, { name })}</p>
      </Form>
      <Sessions memberId={member.id} />
      {methods.data.value?.passwords && (
        <button type="button" class="button" onClick={onPasswordLink}>
          {texts.passwordLink}
        </button>
      )}
      <button type="button" class="button danger" onClick={onRemove}>
        {texts.remove}
      </button>
    </Dialog>
  )
}

function Sessions({ memberId }: { memberId: string }): JSX.Element {
  const { api, format, now, strings } = useDesk()
  const texts = strings.team
  const path = `/team/members/${memberId}/sessions` as const
  const sessions = useLoadable(() => api.get<'listMemberSessions'>(path))
  const end = async (id: string) => {
    await api.delete<'endMemberSession'>(`${path}/${id}`).catch(() => {})
    await sessions.load()
  }
  return (
    <section class="sessions">
      <h3>{texts.sessions}</h3>
      <Loaded from={sessions}>
        {data => (
          <ul class="rows">
            {data.length === 0 && <li class="meta">{texts.noSessions}</li>}
            {data.map(({ id, createdAt, activeAt, isCurrent }) => {
              const begun = format.dateTime(createdAt)
              return (
                <li key={id}>
                  <span>
                    {interpolate(texts.session, { begun, used: format.moment(activeAt, now.value) })}
                    {isCurrent && <b>{texts.currentSession}</b>}
                  </span>
                  <button
                    type="button"
                    class="button"
                    aria-label={interpolate(texts.endSession, { begun })}
                    onClick={() => end(id)}
                  >
                    {texts.end}
                  </button>
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
