import type { JSX } from 'preact'
import { useDeskApp } from '../DeskContext.ts'
import { Form } from '../Form.tsx'
import { interpolate } from '../i18n/format.ts'

interface ProviderFormProps {
  /** The host of the OpenID Connect provider. */
  host: string
  /** Why signing in there has failed before. */
  error?: unknown
}

/** The button that leads to the OpenID Connect provider. */
export function ProviderForm({ host, error }: ProviderFormProps): JSX.Element {
  const { session, strings } = useDeskApp()
  return (
    <Form
      submitText={interpolate(strings.signIn.withProvider, { host })}
      onSubmit={session.beginOidc}
      // The platform says what the person can do.
      explain={({ status, message }) => (status === 401 || status === 503 ? message : undefined)}
      error={error}
    />
  )
}
