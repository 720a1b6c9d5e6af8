import type { JSX } from 'preact'

interface FieldProps {
  /** Also the id. */
  name: string
  label: string
  hint?: string
  /** Further attributes of the input. */
  input: JSX.IntrinsicElements['input']
}

/** A labelled field of a form. */
export function Field({ name, label, hint, input }: FieldProps): JSX.Element {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} {...input} {...(hint && { 'aria-describedby': `${name}-hint` })} />
      {hint && (
        <p class="meta" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
