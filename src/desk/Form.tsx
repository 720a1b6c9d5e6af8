import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { ApiError } from './ApiError.ts'
import { useDeskApp } from './DeskContext.ts'

interface FormProps {
  submitText: string
  onSubmit(read: (name: string) => string): Promise<void>
  /** Why the platform has refused it, unless it says enough itself. */
  explain?(error: ApiError): string | undefined
  /** Why it has failed before. */
  error?: unknown
  children?: ComponentChildren
}

/** A form with one button, which says why it has failed. */
export function Form({ submitText, onSubmit, explain, error, children }: FormProps): JSX.Element {
  const texts = useDeskApp().strings.app
  const isBusy = useSignal(false)
  const describe = (error: unknown) => {
    if (!(error instanceof ApiError)) return texts.actionFailed
    const reason = explain?.(error) ?? error.errors[0]?.detail
    return reason ?? (error.status === 429 ? texts.limited : texts.actionFailed)
  }
  const problem = useSignal(error === undefined ? '' : describe(error))
  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault()
    if (isBusy.value) return
    const fields = new FormData(event.currentTarget)
    isBusy.value = true
    problem.value = ''
    try {
      await onSubmit(name => String(fields.get(name)))
    } catch (error) {
      problem.value = describe(error)
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
