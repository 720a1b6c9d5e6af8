import type { JSX } from 'preact'
import type { SignInMethods } from '../../contract/desk.ts'
import type { ApiError } from '../ApiError.ts'
import { useDeskApp } from '../DeskContext.ts'
import { Field } from '../Field.tsx'
import { Form } from '../Form.tsx'
import { AccountPage } from './AccountPage.tsx'
import { ProviderForm } from './ProviderForm.tsx'

interface SignInProps {
  methods: SignInMethods
  /** Why signing in at the provider has failed. */
  error?: unknown
  hasEnded: boolean
}

export function SignIn({ methods, error, hasEnded }: SignInProps): JSX.Element {
  const { session, strings } = useDeskApp()
  const texts = strings.signIn
  const explain = ({ status, code }: ApiError) =>
    status === 401 || code === 'invalid_request' ? texts.wrong : undefined
  return (
    <AccountPage title={texts.title} hint={hasEnded ? texts.ended : texts.hint}>
      {methods.provider && <ProviderForm host={methods.provider} error={error} />}
      {methods.passwords && (
        <Form
          submitText={texts.title}
          onSubmit={read => session.signIn(read('email'), read('password'))}
          explain={explain}
        >
          <Field name="email" label={strings.app.email} type="email" autocomplete="username" required autofocus />
          <Field
            name="password"
            label={strings.app.password}
            type="password"
            autocomplete="current-password"
            required
          />
        </Form>
      )}
    </AccountPage>
  )
}
