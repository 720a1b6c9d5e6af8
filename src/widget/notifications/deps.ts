import type { ReadonlySignal } from '@preact/signals-core'
import type { ConversationModel } from '../conversation/conversation.ts'
import type { MessageStore } from '../conversation/messageStore.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'
import type { Strings } from '../i18n/en.ts'
import type { Launcher } from '../loader/launcher.ts'
import type { WidgetOptions } from '../loader/options.ts'

/** The elements of the launcher that the notifications are added to. */
export type LauncherParts = Pick<Launcher, 'root' | 'layer' | 'button'>

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
    messageStore: Pick<MessageStore, 'messages' | 'claim'>
    readState: Pick<ConversationModel['readState'], 'readSeq'>
  }
  unread: ReadonlySignal<number>
  /** Whether a contact's messages are hidden until the site has confirmed that they are signed in. */
  isViewHidden: ReadonlySignal<boolean>
  isPanelOpen: ReadonlySignal<boolean>
  /** Also determine the digits in which numbers are written. */
  strings: ReadonlySignal<Strings>
}
