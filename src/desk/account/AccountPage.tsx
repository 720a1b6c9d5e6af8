import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { Icon } from '../Icon.tsx'
import { chatPath } from '../icons.ts'

interface AccountPageProps {
  title: string
  hint?: string | undefined
  children?: ComponentChildren
}

/** A page with one thing to do, for somebody who is not signed in. */
export function AccountPage({ title, hint, children }: AccountPageProps): JSX.Element {
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
        {children}
      </div>
    </main>
  )
}
