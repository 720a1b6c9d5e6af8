const isApple = /Mac|iP/.test(navigator.platform)

/** The keys that send, as the keyboard names them. */
export const modEnter: string = isApple ? '⌘⏎' : 'Ctrl ⏎'
