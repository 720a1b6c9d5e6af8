import type { ComponentChild } from 'preact'
import type { Models } from '../core.ts'

/** What stands above the first message: the greeting, or the way to what was said earlier. */
export function Earlier({ models: { conversation, session, strings } }: { models: Models }): ComponentChild {
  const history = conversation.history.value
  const status = session.status.value
  const bot = conversation.bot.value
  const contact = session.contact.value
  if (history === 'failed')
    return (
      <p class="rule" role="alert">
        {strings.historyFailed}{' '}
        <button type="button" class="link" onClick={() => void conversation.loadOlder()}>
          {strings.retry}
        </button>
      </p>
    )
  if (history === 'complete' && bot && status !== 'identifying' && status !== 'restoring')
    return [contact && strings.greetContact.replace('{name}', () => contact.name), ...bot.greeting.split('\n')]
      .filter(line => line?.trim())
      .map((line, index, lines) => (
        <div key={line} class={`row${index ? '' : ' first'}${index + 1 < lines.length ? '' : ' last'}`}>
          <p class="bubble" part="message" dir="auto">
            {line}
          </p>
        </div>
      ))
  if (conversation.messages.value.length) return <p class="rule">{history === 'loading' && strings.loadingOlder}</p>
  // Nothing is on its way while nothing can be reached.
  if (conversation.connection.value === 'offline' || conversation.botStatus.value === 'unavailable') return null
  return (
    <div class="skeleton" aria-hidden="true">
      <i class="bubble" />
      <i class="bubble" />
      <i class="bubble" />
    </div>
  )
}
