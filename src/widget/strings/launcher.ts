/** What the launcher says before anything is fetched: the few texts that the eager script carries. */
export const launcherTexts = {
  chat: 'Chat',
  chatUnread: 'Chat, {count} unread',
  close: 'Close chat',
  panelFailed: 'Chat could not be loaded.',
  retry: 'Retry',
} as const
