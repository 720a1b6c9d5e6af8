import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'

interface AccountFormProps {
  submitText: string
  /** Rejects with what `explain` puts into words. */
  onSubmit(read: (name: string) => string): Promise<void>
  explain(error: unknown): string
  children: ComponentChildren
}

/** A form with one button, which says why it has failed. */
export function AccountForm({ submitText, onSubmit, explain, children }: AccountFormProps): JSX.Element {
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
      problem.value = explain(error)
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
