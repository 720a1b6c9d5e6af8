import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { AccountMenu } from './AccountMenu.tsx'
import { useDesk, useKeys } from './DeskContext.ts'
import { Icon } from './Icon.tsx'
import { inboxPath, keyboardPath } from './icons.ts'
import { KeysDialog } from './KeysDialog.tsx'
import { viewHref } from './router.ts'

/** The parts of the desk, and what belongs to the member. */
export function Rail(): JSX.Element {
  const { strings } = useDesk()
  const isShowingKeys = useSignal(false)
  const showKeys = () => {
    isShowingKeys.value = true
  }
  useKeys({ '?': showKeys })
  const texts = strings.app
  return (
    <div class="rail">
      <nav aria-label={texts.title}>
        <a
          class="icon-button"
          href={viewHref('waiting')}
          aria-label={texts.inbox}
          title={texts.inbox}
          aria-current="page"
        >
          <Icon path={inboxPath} />
        </a>
      </nav>
      <button type="button" class="icon-button" aria-label={texts.keys} title={`${texts.keys} (?)`} onClick={showKeys}>
        <Icon path={keyboardPath} />
      </button>
      <AccountMenu />
      {isShowingKeys.value && (
        <KeysDialog
          onClose={() => {
            isShowingKeys.value = false
          }}
        />
      )}
    </div>
  )
}
