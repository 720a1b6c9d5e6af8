import type { WidgetHandle } from './widgetHandle.ts'

/** Whether the widget supports this browser: Chrome 111, Firefox 115, Safari 16.4, or later. */
export function isSupported(): boolean {
  return (
    'adoptedStyleSheets' in document &&
    // A feature that no polyfill provides.
    CSS.supports('color', 'color-mix(in srgb,red,red)')
  )
}

/** Creates the handle for servers and unsupported browsers. It renders nothing and throws nothing. */
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
