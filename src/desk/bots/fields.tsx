import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import type { BotForm } from './botForm.ts'

type FieldName = keyof ReturnType<typeof useDesk>['strings']['bots']['fields']

interface TextFieldProps {
  form: BotForm
  field: string
  /** Of a text with several lines. */
  rows?: number
  /** Further attributes. */
  input?: { dir?: 'ltr'; placeholder?: string }
}

/** A setting with a text, and why it was refused. */
export function TextField({ form, field, rows, input }: TextFieldProps): JSX.Element {
  const { fields, hints } = useDesk().strings.bots
  const hint = (hints as Record<string, string>)[field]
  const error = form.errors.value[field]
  const attributes = {
    id: field,
    dir: 'auto' as const,
    ...input,
    value: String(form.values.value[field]),
    autocomplete: 'off' as const,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': [hint && `${field}-hint`, error && `${field}-error`].filter(Boolean).join(' ') || undefined,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => form.set(field, currentTarget.value),
  }
  return (
    <div class="field">
      <label for={field}>{fields[field as FieldName]}</label>
      {rows === undefined ? <input {...attributes} /> : <textarea {...attributes} rows={rows} />}
      {hint && (
        <p class="meta" id={`${field}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="failure" id={`${field}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

/** A setting that is on or off. */
export function Check({ form, field }: { form: BotForm; field: FieldName }): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={form.values.value[field] === true}
        onChange={({ currentTarget }) => form.set(field, currentTarget.checked)}
      />
      {useDesk().strings.bots.fields[field]}
    </label>
  )
}
