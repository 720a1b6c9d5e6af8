import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Invitation } from '../../contract/desk.ts'
import { ApiError } from '../ApiError.ts'
import { useDeskApp } from '../DeskContext.ts'
import { fill } from '../i18n/format.ts'
import { viewHref } from '../router.ts'
import { AccountForm } from './AccountForm.tsx'
import { AccountPage } from './AccountPage.tsx'
import { Field } from './Field.tsx'

type Look = { status: 'loading' | 'ended' | 'incomplete' | 'failed' } | { status: 'found'; invitation: Invitation }

/** `passwordLength.min` of the contract, whose values would bring its schemas along. */
const minPasswordLength = 10

/** Where the link of an invitation leads. */
export function InvitationPage({ token }: { token: string }): JSX.Element {
  const { api, strings, session, router } = useDeskApp()
  const texts = strings.invitation
  const look = useSignal<Look>({ status: token ? 'loading' : 'incomplete' })

  async function load() {
    if (!token) return
    look.value = { status: 'loading' }
    try {
      const { data } = await api.post<'lookAtInvitation'>('/invitations/look', { token })
      look.value = { status: 'found', invitation: data }
    } catch (error) {
      look.value = { status: error instanceof ApiError && error.status === 404 ? 'ended' : 'failed' }
    }
  }
  useEffect(() => void load(), [token])

  const toSignIn = (
    <p>
      <a href={viewHref('waiting')}>{texts.toSignIn}</a>
    </p>
  )
  switch (look.value.status) {
    case 'loading':
      return <main class="account" aria-busy="true" />
    case 'failed':
      return (
        <AccountPage title={strings.app.unreachable}>
          <button type="button" class="button" onClick={load}>
            {strings.app.retry}
          </button>
        </AccountPage>
      )
    case 'ended':
    case 'incomplete': {
      const { status } = look.value
      return (
        <AccountPage title={texts[status]} hint={texts[`${status}Hint`]}>
          {toSignIn}
        </AccountPage>
      )
    }
    case 'found': {
      const { email, organization } = look.value.invitation
      const explain = (error: unknown) => {
        if (!(error instanceof ApiError)) return strings.signIn.failed
        if (error.status === 404) return texts.ended
        if (error.code === 'email_taken') return texts.taken
        return error.status === 429
          ? strings.signIn.limited
          : error.status === 400
            ? error.message
            : strings.signIn.failed
      }
      const join = async (read: (name: string) => string) => {
        await session.acceptInvitation(token, read('name'), read('password'))
        router.go(viewHref('waiting'), { replace: true })
      }
      return (
        <AccountPage title={fill(texts.title, { organization })} hint={texts.hint}>
          <AccountForm submitText={texts.submit} onSubmit={join} explain={explain}>
            {/* Password managers store the password for it. */}
            <Field
              name="email"
              label={strings.app.email}
              input={{ type: 'email', autocomplete: 'username', value: email, readOnly: true }}
            />
            <Field
              name="name"
              label={texts.name}
              hint={texts.nameHint}
              input={{ autocomplete: 'name', maxLength: 80, required: true, autofocus: true }}
            />
            <Field
              name="password"
              label={strings.app.password}
              hint={fill(texts.passwordHint, { count: `${minPasswordLength}` })}
              input={{ type: 'password', autocomplete: 'new-password', minLength: minPasswordLength, required: true }}
            />
          </AccountForm>
        </AccountPage>
      )
    }
  }
}
