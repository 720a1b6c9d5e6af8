import type { JSX } from 'preact'
import { useDesk } from '../DeskContext.ts'
import { Loaded, useLoadable } from '../Loaded.tsx'
import { botHref } from '../router.ts'
import { BotSettingsForm } from './BotSettingsForm.tsx'

/** The settings of a bot, for admins. */
export function BotPage({ botId }: { botId: string }): JSX.Element {
  const { api, current, router, strings } = useDesk()
  const settings = useLoadable(() => api.get<'retrieveBotSettings'>(`/bots/${botId}`))
  return (
    <main class="page">
      <header class="page-header">
        <h1>{strings.bots.title}</h1>
        {current.bots.length > 1 && (
          <select
            aria-label={strings.bots.choose}
            value={botId}
            onChange={({ currentTarget }) => {
              const { value } = currentTarget
              // It shows another bot when that is there: somebody may rather save first.
              currentTarget.value = botId
              router.go(botHref(value))
            }}
          >
            {current.bots.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </header>
      <Loaded from={settings}>{data => <BotSettingsForm settings={data} />}</Loaded>
    </main>
  )
}
