import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { ApiError } from '../ApiError.ts'
import { useDeskApp } from '../DeskContext.ts'

interface AccountFormProps {
  submitText: string
  onSubmit(read: (name: string) => string): Promise<void>
  /** Why the platform has refused it, unless the usual reasons say enough. */
  explain(error: ApiError): string | undefined
  children: ComponentChildren
}

/** A form with one button, which says why it has failed. */
export function AccountForm({ submitText, onSubmit, explain, children }: AccountFormProps): JSX.Element {
  const texts = useDeskApp().strings.signIn
  const isBusy = useSignal(false)
  const problem = useSignal('')
  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault()
    if (isBusy.value) return
    const fields = new FormData(event.currentTarget)
    isBusy.value = true
    problem.value = ''
    try {
      await onSubmit(name => String(fields.get(name)))
    } catch (error) {
      const isLimited = error instanceof ApiError && error.status === 429
      problem.value = (error instanceof ApiError && explain(error)) || (isLimited ? texts.limited : texts.failed)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form onSubmit={submit}>
      {children}
      <p class="failure" role="alert">
        {problem.value}
      </p>
      {/* It stays enabled while it is busy, so that it keeps the focus. */}
      <button type="submit" class="button primary" aria-busy={isBusy.value}>
        {submitText}
      </button>
    </form>
  )
}
