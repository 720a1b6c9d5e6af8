import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Invitation } from '../../contract/desk.ts'
import { passwordLength } from '../../contract/deskLimits.ts'
import { maxAgentNameLength } from '../../contract/limits.ts'
import { ApiError } from '../ApiError.ts'
import { useDeskApp } from '../DeskContext.ts'
import { Field } from '../Field.tsx'
import { Form } from '../Form.tsx'
import { interpolate } from '../i18n/format.ts'
import { viewHref } from '../router.ts'
import { AccountPage } from './AccountPage.tsx'
import { ProviderForm } from './ProviderForm.tsx'

type InvitationState =
  | { status: 'loading' | 'ended' | 'incomplete' | 'failed' }
  | { status: 'found'; invitation: Invitation }

/** Where the link of an invitation leads. */
export function InvitationPage({ token }: { token: string }): JSX.Element {
  const { api, strings, session, router } = useDeskApp()
  const texts = strings.invitation
  const state = useSignal<InvitationState>({ status: token ? 'loading' : 'incomplete' })

  async function load() {
    if (!token) return
    state.value = { status: 'loading' }
    try {
      const { data } = await api.post<'lookAtInvitation'>('/invitations/look', { token })
      state.value = { status: 'found', invitation: data }
    } catch (error) {
      state.value = { status: error instanceof ApiError && error.status === 404 ? 'ended' : 'failed' }
    }
  }
  useEffect(() => void load(), [token])

  const toSignIn = (
    <p>
      <a href={viewHref('waiting')}>{texts.toSignIn}</a>
    </p>
  )
  switch (state.value.status) {
    case 'loading':
      return <main class="account" aria-busy="true" />
    case 'failed':
      return <AccountPage title={strings.app.unreachable} button={{ text: strings.app.retry, onClick: load }} />
    case 'ended':
    case 'incomplete': {
      const { status } = state.value
      return (
        <AccountPage title={texts[status]} hint={texts[`${status}Hint`]}>
          {toSignIn}
        </AccountPage>
      )
    }
    case 'found': {
      const { email, organization, name, methods } = state.value.invitation
      const explain = ({ status, code }: ApiError) =>
        status === 404 ? texts.ended : code === 'email_taken' ? texts.taken : undefined
      const join = async (read: (name: string) => string) => {
        await session.acceptInvitation(token, read('name'), read('password'))
        router.go(viewHref('waiting'), { replace: true })
      }
      const isForPassword = name !== null && methods.passwords
      const hint = methods.passwords ? texts.hint : texts.providerHint
      return (
        <AccountPage
          title={isForPassword ? texts.newPassword : interpolate(texts.title, { organization })}
          hint={interpolate(isForPassword ? texts.newPasswordHint : hint, { email })}
        >
          {methods.provider && <ProviderForm host={methods.provider} />}
          {methods.passwords && (
            <Form submitText={isForPassword ? strings.app.save : texts.submit} onSubmit={join} explain={explain}>
              {/* Password managers store the password for it. */}
              <Field
                name="email"
                label={strings.app.email}
                type="email"
                autocomplete="username"
                value={email}
                readOnly
              />
              <Field
                name="name"
                label={texts.name}
                hint={texts.nameHint}
                autocomplete="name"
                maxLength={maxAgentNameLength}
                required
                autofocus
                defaultValue={name ?? ''}
              />
              <Field
                name="password"
                label={strings.app.password}
                hint={interpolate(texts.passwordHint, { count: `${passwordLength.min}` })}
                type="password"
                autocomplete="new-password"
                minLength={passwordLength.min}
                required
              />
            </Form>
          )}
        </AccountPage>
      )
    }
  }
}
