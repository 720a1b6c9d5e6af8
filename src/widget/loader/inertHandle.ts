import type { WidgetHandle } from './widgetHandle.ts'

/** Whether this is a browser that the widget runs in: Chrome 111, Firefox 115, Safari 16.4, or later. */
export function isSupported(): boolean {
  return (
    'adoptedStyleSheets' in document &&
    // No polyfill makes this true.
    CSS.supports('color', 'color-mix(in srgb,red,red)')
  )
}

/** The handle on a server, and in a browser that is too old: renders nothing, throws nothing. */
export function createInertHandle(): WidgetHandle {
  const nothing = () => {}
  return {
    auth: {
      state: 'anonymous',
      refresh: () => Promise.resolve(),
      contacts: {
        login: () => Promise.resolve({ contact: null }),
        logout: () => Promise.resolve(),
        current: null,
      },
    },
    open: nothing,
    close: nothing,
    toggle: nothing,
    show: nothing,
    hide: nothing,
    preload: () => Promise.resolve(),
    message: nothing,
    setContext: nothing,
    setLocale: nothing,
    on: () => nothing,
    off: nothing,
    ready: new Promise(nothing),
    destroy: nothing,
  }
}
