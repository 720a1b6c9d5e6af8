import type { ComponentChildren, JSX, PartialInputHTMLAttributes } from 'preact'

type Attribute =
  | ('autocomplete' | 'autofocus' | 'dir' | 'maxLength' | 'minLength' | 'placeholder' | 'readOnly' | 'required')
  | ('value' | 'defaultValue' | 'onFocus' | 'onInput')

export interface FieldProps
  extends Pick<PartialInputHTMLAttributes<HTMLInputElement | HTMLTextAreaElement>, Attribute> {
  type?: 'text' | 'email' | 'password'
  /** Also the id. */
  name: string
  label: string
  hint?: string | undefined
  /** What is wrong with the value. */
  error?: string | undefined
  /** Of a text with several lines. */
  rows?: number
  /** The values of a list to choose from. */
  options?: readonly string[]
  /** What stands below it. */
  children?: ComponentChildren
}

/** A labelled field of a form. Further props are attributes of its input. */
export function Field(props: FieldProps): JSX.Element {
  const { name, label, type = 'text', hint, error, rows, options, children, ...further } = props
  const attributes = {
    id: name,
    name,
    ...further,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ') || undefined,
  }
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {options ? (
        <select {...(attributes as object)}>
          {options.map(option => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : rows === undefined ? (
        <input {...attributes} type={type as 'text'} />
      ) : (
        <textarea {...attributes} rows={rows} />
      )}
      {hint && (
        <p class="meta" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <FieldError name={name} error={error} />
      {children}
    </div>
  )
}

/** What is wrong with the value of a field. The id is `name` with `-error`. */
export const FieldError = ({ name, error }: { name: string; error: string | undefined }): JSX.Element | null =>
  error ? (
    <p class="failure" id={`${name}-error`}>
      {error}
    </p>
  ) : null
