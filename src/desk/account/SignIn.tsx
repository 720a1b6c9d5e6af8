import type { JSX } from 'preact'
import type { ApiError } from '../ApiError.ts'
import { useDeskApp } from '../DeskContext.ts'
import { AccountForm } from './AccountForm.tsx'
import { AccountPage } from './AccountPage.tsx'
import { Field } from './Field.tsx'

export function SignIn({ hasEnded }: { hasEnded: boolean }): JSX.Element {
  const { session, strings } = useDeskApp()
  const texts = strings.signIn
  const explain = ({ status, code }: ApiError) =>
    status === 401 || code === 'invalid_request' ? texts.wrong : undefined
  return (
    <AccountPage title={texts.title} hint={hasEnded ? texts.ended : texts.hint}>
      <AccountForm
        submitText={texts.title}
        onSubmit={read => session.signIn(read('email'), read('password'))}
        explain={explain}
      >
        <Field
          name="email"
          label={strings.app.email}
          input={{ type: 'email', autocomplete: 'username', required: true, autofocus: true }}
        />
        <Field
          name="password"
          label={strings.app.password}
          input={{ type: 'password', autocomplete: 'current-password', required: true }}
        />
      </AccountForm>
    </AccountPage>
  )
}
