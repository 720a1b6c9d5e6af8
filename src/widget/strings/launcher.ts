/** What the launcher says before anything is fetched: the few texts that the eager script carries. */
export const launcherTexts = {
  chat: 'Chat',
  panelFailed: 'Chat could not be loaded. Retry',
} as const
