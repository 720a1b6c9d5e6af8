import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useDesk } from './DeskContext.ts'
import { Field } from './Field.tsx'

interface CopyFieldProps {
  name: string
  label: string
  hint?: string
  value: string
}

/** A text for other programs, with a button that copies it. */
export function CopyField(props: CopyFieldProps): JSX.Element {
  const texts = useDesk().strings.app
  const isCopied = useSignal(false)
  const copy = async () => {
    await navigator.clipboard.writeText(props.value)
    isCopied.value = true
  }
  return (
    <Field {...props} readOnly dir="ltr" onFocus={({ currentTarget }) => currentTarget.select()}>
      {/* Where the browser refuses it, the text can be selected. */}
      <button type="button" class="button" onClick={() => copy().catch(() => {})}>
        {isCopied.value ? texts.copied : texts.copy}
      </button>
    </Field>
  )
}
