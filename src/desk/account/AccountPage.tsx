import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { chatPath, Icon } from '../Icon.tsx'

interface AccountPageProps {
  title: string
  hint?: string | undefined
  /** The one thing to do, unless there is a form. */
  button?: { text: string; onClick(): void }
  children?: ComponentChildren
}

/** A page with one thing to do, for somebody who is not signed in. */
export function AccountPage({ title, hint, button, children }: AccountPageProps): JSX.Element {
  useLayoutEffect(() => {
    document.title = title
  }, [title])
  return (
    <main class="account">
      <div class="account-box">
        <span class="brand">
          <Icon path={chatPath} />
        </span>
        <h1>{title}</h1>
        {hint && <p class="meta">{hint}</p>}
        {button && (
          <button type="button" class="button" onClick={button.onClick}>
            {button.text}
          </button>
        )}
        {children}
      </div>
    </main>
  )
}
