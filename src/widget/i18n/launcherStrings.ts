/** The texts of the launcher, which the eager script contains. */
export const launcherTexts = {
  chat: 'Chat',
  panelFailed: 'Couldn’t load the chat. Retry',
} as const

/**
 * "Chat" in common languages that don't use the English word, by language code. The texts of other languages are there once
 * the core is loaded.
 */
const chatWords: Record<string, string> = { ar: 'دردشة', ja: 'チャット', ru: 'Чат', uk: 'Чат', zh: '聊天' }

/** Returns the launcher's texts in a language, a BCP 47 tag. */
export const launcherTextsIn = (tag: string): Record<keyof typeof launcherTexts, string> => ({
  ...launcherTexts,
  chat: chatWords[tag.slice(0, 2)] || launcherTexts.chat,
})
