import { effect, type ReadonlySignal } from '@preact/signals'
import type { WidgetModels } from '../app/createApp.ts'
import type { HistoryStatus } from '../conversation/messageStore.ts'
import { eventTexts } from './groupMessages.ts'
import { saveFile } from './saveFile.ts'

type Models = Pick<WidgetModels, 'session' | 'signIn' | 'conversation' | 'strings'>

/** Saves the conversation as a text file. Loads what is missing first. Resolves to whether that was possible. */
export async function saveConversation(models: Models): Promise<boolean> {
  const { session, signIn, conversation } = models
  const { history, loadOlder } = conversation.messageStore
  const key = session.scopeKey.peek()
  const isOther = () => session.scopeKey.peek() !== key || signIn.isViewHidden.peek()
  while (history.peek() !== 'complete') {
    if (history.peek() === 'loading') await untilLoaded(history)
    else {
      await loadOlder()
      if (history.peek() === 'failed') return false
    }
    // The visitor may be somebody else by now.
    if (isOther()) return false
  }
  saveFile(toText(models), `chat-${new Date().toISOString().slice(0, 10)}.txt`)
  return true
}

/** Resolves when nothing is being loaded. */
async function untilLoaded(history: ReadonlySignal<HistoryStatus>): Promise<void> {
  let stop = () => {}
  await new Promise<void>(resolve => {
    stop = effect(() => {
      if (history.value !== 'loading') resolve()
    })
  })
  stop()
}

function toText({ session, conversation, strings }: Models): string {
  const texts = strings.peek()
  const botName = conversation.botProfile.profile.peek()?.name ?? texts.chat
  const names = {
    visitor: session.contact.peek()?.name ?? texts.you,
    bot: botName,
    agent: texts.agent,
    system: '',
  }
  const dates = new Intl.DateTimeFormat(texts.lang, { dateStyle: 'long', timeStyle: 'short' })
  const entries = conversation.messageStore.messages.peek().flatMap(message => {
    const { author, sender, text, attachments = [], sources = [] } = message
    const event = eventTexts.get(message.event ?? '')
    if (message.event && !event) return []
    const name = (author === 'agent' && sender?.name) || names[author]
    const content = [
      event ? texts[event] : text,
      ...attachments.map(({ name }) => `[${name}]`),
      ...sources.map(({ title, url }) => `${title}: ${url}`),
    ]
    const lines = [
      [dates.format(new Date(message.createdAt)), name].filter(Boolean).join(' · '),
      ...(message.removedAt ? [texts.removed] : content),
    ]
    return lines.filter(Boolean).join('\n')
  })
  return `${[botName, ...entries].join('\n\n')}\n`
}
