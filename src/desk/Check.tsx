import type { JSX, PartialInputHTMLAttributes } from 'preact'

type Attribute = 'name' | 'checked' | 'defaultChecked' | 'onChange' | 'children'

interface CheckProps extends Pick<PartialInputHTMLAttributes<HTMLInputElement>, Attribute> {
  type?: 'checkbox' | 'radio'
  hint?: string
}

/** A box to tick, or one of several choices. Further props are attributes of its input. */
export function Check({ type = 'checkbox', hint, children, ...further }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input {...further} type={type} />
      <span>
        {children}
        {hint && <span class="meta">{hint}</span>}
      </span>
    </label>
  )
}
