import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TeamMember } from '../../contract/desk.ts'
import { ApiError } from '../ApiError.ts'
import { Avatar } from '../Avatar.tsx'
import { useDesk } from '../DeskContext.ts'
import { ConfirmDialog } from '../Dialog.tsx'
import { interpolate } from '../i18n/format.ts'
import { Loaded, useLoadable } from '../Loaded.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import { type Link, LinkDialog } from './LinkDialog.tsx'
import { MemberDialog } from './MemberDialog.tsx'
import type { Rights } from './RightsFields.tsx'

type OpenDialog = { kind: 'invite' } | { kind: 'edit' | 'remove'; member: TeamMember } | { kind: 'link'; link: Link }

/** The members of the team, and who is invited. */
export function Members(): JSX.Element {
  const { api, current, format, now, strings } = useDesk()
  const texts = strings.team
  const team = useLoadable(() => api.get<'retrieveTeam'>('/team'))
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const [problem, setProblem] = useState('')
  // One that has been replaced closes, too.
  const close = () => setOpen(now => (now === open ? null : now))
  const showLink = (link: Link) => {
    setOpen({ kind: 'link', link })
    void team.load()
  }
  const createPasswordLink = async ({ id, email }: TeamMember) => {
    const { data } = await api.post<'createPasswordLink'>(`/team/members/${id}/password-link`)
    showLink({ email, ...data })
  }
  const change = async (action: Promise<unknown>) => {
    setProblem('')
    await action.catch(error => {
      const isLastAdmin = error instanceof ApiError && error.code === 'last_admin'
      setProblem(isLastAdmin ? texts.lastAdmin : strings.app.actionFailed)
    })
    await team.load()
  }

  const presenceOf = ({ isOnline, isAway, activeAt }: TeamMember) => {
    if (isOnline) return texts.online
    if (activeAt === null) return texts.neverActive
    return interpolate(isAway ? texts.away : texts.active, { moment: format.moment(activeAt, now.value) })
  }
  const row = (of: Rights & { id: string; email: string; name?: string }, since: string, button: JSX.Element) => (
    <li key={of.id}>
      <Avatar name={of.name} />
      <p>
        <b>
          <bdi>{of.name ?? of.email}</bdi>
        </b>
        <span class="meta">
          <bdi>{of.name && of.email}</bdi>
        </span>
      </p>
      <p>
        {texts.roles[of.role]}
        <span class="meta">
          {of.botIds
            ? current.bots.flatMap(({ id, name }) => (of.botIds?.includes(id) ? [name] : [])).join(', ')
            : texts.allBots}
        </span>
      </p>
      <p class="meta">{since}</p>
      {button}
    </li>
  )
  return (
    <>
      <header class="page-header">
        <h1>{texts.members}</h1>
        <button type="button" class="button primary" onClick={() => setOpen({ kind: 'invite' })}>
          {texts.invite}
        </button>
      </header>
      <p class="failure" role="alert">
        {problem}
      </p>
      <Loaded from={team}>
        {({ members, invitations }) => (
          <ul class="rows">
            {members.map(member =>
              row(
                member,
                presenceOf(member),
                <button
                  type="button"
                  class="button"
                  aria-label={interpolate(texts.editName, { name: member.name })}
                  onClick={() => setOpen({ kind: 'edit', member })}
                >
                  {texts.edit}
                </button>,
              ),
            )}
            {invitations.map(({ expiresAt, ...invitation }) =>
              row(
                invitation,
                members.some(({ email }) => email === invitation.email)
                  ? texts.passwordLink
                  : interpolate(texts.invitedUntil, { moment: format.dateTime(expiresAt) }),
                <button
                  type="button"
                  class="button"
                  aria-label={interpolate(texts.withdrawFor, { email: invitation.email })}
                  onClick={() => change(api.delete<'withdrawInvitation'>(`/team/invitations/${invitation.id}`))}
                >
                  {texts.withdraw}
                </button>,
              ),
            )}
          </ul>
        )}
      </Loaded>
      {open?.kind === 'invite' && <InviteDialog onInvited={showLink} onClose={close} />}
      {open?.kind === 'link' && <LinkDialog {...open.link} onClose={close} />}
      {open?.kind === 'edit' && (
        <MemberDialog
          member={open.member}
          onSaved={() => {
            close()
            void team.load()
          }}
          onPasswordLink={() => {
            close()
            void change(createPasswordLink(open.member))
          }}
          onRemove={() => setOpen({ kind: 'remove', member: open.member })}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmDialog
          title={interpolate(texts.removeAsk, { name: open.member.name })}
          hint={interpolate(texts.removeHint, { name: open.member.name })}
          confirm={texts.remove}
          onConfirm={() => change(api.delete<'removeMember'>(`/team/members/${open.member.id}`))}
          onClose={close}
        />
      )}
    </>
  )
}
