import type { JSX } from 'preact'
import { BotSelect } from '../BotSelect.tsx'
import { useDesk } from '../DeskContext.ts'
import { Loaded, useLoadable } from '../Loaded.tsx'
import { botHref } from '../router.ts'
import { BotSettingsForm } from './BotSettingsForm.tsx'

/** The settings of a bot, for admins. */
export function BotPage({ botId }: { botId: string }): JSX.Element {
  const { api, router, strings } = useDesk()
  const settings = useLoadable(() => api.get<'retrieveBotSettings'>(`/bots/${botId}`))
  return (
    <main class="page">
      <header class="page-header">
        <h1>{strings.bots.title}</h1>
        <BotSelect label={strings.bots.choose} value={botId} onChange={id => router.go(botHref(id))} />
      </header>
      <Loaded from={settings}>{data => <BotSettingsForm settings={data} />}</Loaded>
    </main>
  )
}
