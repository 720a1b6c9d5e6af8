/** What the launcher says before anything is fetched: the few texts that the eager script carries. */
export const launcherTexts = {
  chat: 'Chat',
  panelFailed: 'Couldn’t load the chat. Retry',
} as const

/** "Chat" in some languages that write it otherwise, by language code. The launcher has the others when the core is loaded. */
const chatWords: Record<string, string> = { ar: 'دردشة', ja: 'チャット', ru: 'Чат', uk: 'Чат', zh: '聊天' }

/** The launcher's texts in a language. */
export const launcherTextsIn = (tag: string): Record<keyof typeof launcherTexts, string> => ({
  ...launcherTexts,
  chat: chatWords[tag.slice(0, 2)] || launcherTexts.chat,
})
