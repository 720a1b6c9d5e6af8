import { computed, type ReadonlySignal } from '@preact/signals-core'
import type { Message } from '../../contract/index.ts'
import type { ConversationModel } from '../conversation/conversation.ts'
import type { MessageStore } from '../conversation/messageStore.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'
import type { Strings } from '../i18n/en.ts'
import type { WidgetOptions } from '../loader/options.ts'
import css from '../styles/notifications.css?inline'
import { playChime } from './chime.ts'
import { type LauncherParts, showLauncherBadge } from './launcherBadge.ts'
import { showMessagePreview } from './messagePreview.ts'
import { createTitleBadge, type TitleBadge } from './titleBadge.ts'

/** Notifies the visitor of unread messages: at the launcher, in a preview, in the page's title, and by a sound. */
export interface Notifications {
  /** Shows the number of unread messages, in every tab. */
  showUnread(): void
  /** Plays a sound for a new message after a moment, unless it has been read. Only the leading tab plays it. */
  announceMessage(): void
}

export interface NotificationsDeps {
  clock: Clock
  page: Page
  abortSignal: AbortSignal
  /** Missing if there is no launcher. */
  launcherParts?: LauncherParts | undefined
  /** The option, or the value of the attribute, which may be empty. */
  titleBadge?: WidgetOptions['titleBadge']
  preview?: WidgetOptions['preview']
  conversation: {
    botProfile: Pick<ConversationModel['botProfile'], 'profile' | 'load'>
    messageStore: Pick<MessageStore, 'messages' | 'claimPreview'>
    readState: Pick<ConversationModel['readState'], 'readSeq'>
  }
  unread: ReadonlySignal<number>
  /** Whether a contact's messages are hidden until the site has confirmed that they are signed in. */
  isViewHidden: ReadonlySignal<boolean>
  isPanelOpen: ReadonlySignal<boolean>
  /** Also determine the digits in which numbers are written. */
  strings: ReadonlySignal<Strings>
  isLeader(): boolean
}

/** Time for another tab that shows the message to mark it as read. Messages that come meanwhile share one sound. */
const graceMs = 500

/** Notifications end when `abortSignal` is aborted. Tests replace `play`. */
export function createNotifications(deps: NotificationsDeps, play: () => void = playChime): Notifications {
  const { clock, abortSignal, launcherParts, titleBadge, unread, isPanelOpen, strings, isLeader } = deps
  const hasTitle = /^(true)?$/.test(`${titleBadge}`)
  let title: TitleBadge | undefined
  let cancelTimer: (() => void) | undefined
  const ends: (() => void)[] = []
  if (launcherParts) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    launcherParts.root.adoptedStyleSheets.push(sheet)
    ends.push(showLauncherBadge(launcherParts, unread, isPanelOpen, strings, clock))
    if (`${deps.preview}` !== 'false') ends.push(startPreview(launcherParts, deps))
  }
  abortSignal.addEventListener('abort', () => {
    for (const end of ends) end()
    title?.end()
    cancelTimer?.()
  })
  return {
    showUnread() {
      if (!hasTitle || abortSignal.aborted) return
      title ||= createTitleBadge(clock)
      title.show(unread.peek(), strings.peek().lang)
    },
    announceMessage() {
      if (abortSignal.aborted || cancelTimer) return
      cancelTimer = clock.setTimeout(() => {
        cancelTimer = undefined
        const isSeen = isPanelOpen.peek() && !document.hidden
        if (unread.peek() && isLeader() && !isSeen) play()
      }, graceMs)
    },
  }
}

function startPreview(launcherParts: LauncherParts, deps: NotificationsDeps): () => void {
  const { abortSignal, conversation, isViewHidden } = deps
  const { botProfile, messageStore, readState } = conversation
  const newestUnread = computed(() => {
    // The session ends before the preview does. Without it nothing is hidden any more.
    if (isViewHidden.value || abortSignal.aborted) return undefined
    const newest = messageStore.messages.value.findLast(
      ({ author, event, removedAt }) => author !== 'visitor' && !event && !removedAt,
    )
    return newest && newest.seq > readState.readSeq.value ? newest : undefined
  })
  // Unless the chat has been opened, nobody has asked for the bot's name.
  void botProfile.load()
  const { profile } = botProfile
  const claimPreview = (message: Message) => messageStore.claimPreview(message)
  return showMessagePreview(launcherParts, { ...deps, newestUnread, profile, claimPreview })
}
