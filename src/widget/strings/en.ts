import { launcherTexts } from './launcher.ts'

/** The texts that come with the core. `{…}` are placeholders; plural forms go by `Intl.PluralRules`. */
export const laterTexts = {
  writeMessage: 'Write a message',
  send: 'Send',
  menu: 'More',
  endChat: 'End chat',
  chattingAs: 'Chatting as {name}',
  greetContact: 'Good to see you, {name}.',
  answersAtOnce: 'Answers at once, day and night',
  connecting: 'Connecting…',
  reconnecting: 'Reconnecting…',
  offline: 'You’re offline',
  offlineHint: 'Messages go out when you’re back.',
  identifying: 'Signing you in…',
  restoring: 'Opening your conversation…',
  transcript: 'Conversation',
  today: 'Today',
  yesterday: 'Yesterday',
  you: 'You',
  typing: '{name} is typing',
  waiting: 'Waiting to send',
  sending: 'Sending',
  sent: 'Sent',
  failed: 'Not sent.',
  delete: 'Delete',
  newMessages: 'New messages',
  jumpToLatest: 'Jump to latest',
  loadingOlder: 'Loading earlier messages…',
  historyFailed: 'Earlier messages could not be loaded.',
  // Why a session ended, by the platform's words.
  revoked: 'You have been signed out.',
  expired: 'Your session has expired.',
  contact_deleted: 'This conversation has been deleted.',
  botUnavailable: 'Chat is not available right now.',
  storageBlocked: 'This browser keeps nothing: the conversation ends with this page.',
  charactersLeft: '{count} characters left',
  dismiss: 'Dismiss',
} as const satisfies Record<string, string>

/** Every text a visitor can meet. */
export const en = { ...launcherTexts, ...laterTexts }

/** The keys of the English texts; every locale has the same. */
export type Strings = Record<keyof typeof en, string>
