import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { AccountMenu } from './AccountMenu.tsx'
import { CommandsDialog } from './CommandsDialog.tsx'
import { useDesk, useKeys } from './DeskContext.ts'
import { barsPath, botPath, Icon, inboxPath, keyboardPath, savedPath, teamPath } from './Icon.tsx'
import { botHref, numbersHref, savedHref, teamHref } from './router.ts'

/** The parts of the desk, and what belongs to the member. */
export function Rail(): JSX.Element {
  const { current, inbox, router, strings } = useDesk()
  const { page } = router.route.value
  const [isShowingKeys, setIsShowingKeys] = useState(false)
  const showKeys = () => setIsShowingKeys(true)
  useKeys({ '?': showKeys, 'Mod+k': showKeys })
  const texts = strings.app
  const parts = [
    {
      name: 'inbox',
      href: page === 'inbox' ? inbox.hrefOf(null) : inbox.href.value,
      label: texts.inbox,
      path: inboxPath,
    },
    { name: 'saved', href: savedHref, label: strings.saved.title, path: savedPath },
    ...(current.member.role === 'admin'
      ? [
          { name: 'team', href: teamHref, label: texts.team, path: teamPath },
          { name: 'numbers', href: numbersHref(), label: strings.numbers.title, path: barsPath },
          { name: 'bots', href: botHref(), label: strings.bots.title, path: botPath },
        ]
      : []),
  ]
  return (
    <header class="rail">
      <nav aria-label={texts.title}>
        {parts.map(({ name, href, label, path }) => (
          <a
            key={name}
            class="icon-button"
            href={href}
            aria-label={label}
            title={label}
            aria-current={page === name ? 'page' : undefined}
          >
            <Icon path={path} />
          </a>
        ))}
      </nav>
      <button type="button" class="icon-button" aria-label={texts.keys} title={`${texts.keys} (?)`} onClick={showKeys}>
        <Icon path={keyboardPath} />
      </button>
      <AccountMenu />
      {isShowingKeys && <CommandsDialog pages={parts} onClose={() => setIsShowingKeys(false)} />}
    </header>
  )
}
