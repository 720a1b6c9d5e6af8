import type { App, createApp, WidgetModels } from '../app/createApp.ts'
import { launcherTextsIn } from '../i18n/launcherStrings.ts'
import { widgetError } from './errors.ts'
import { type AuthState, type CurrentContact, createEmitter, type Emitter } from './events.ts'
import { createLauncher, type LauncherView } from './launcher.ts'
import type { WidgetOptions } from './options.ts'
import { forgetSession, readToken } from './storedToken.ts'

/** The widget, as the page has it in hand. On a server, and in a browser that is too old, it does nothing. */
export interface WidgetHandle {
  readonly auth: {
    readonly state: AuthState
    readonly contacts: {
      /**
       * Identifies the visitor by a contact token that the site's server obtained. The same token as now resolves at once;
       * any other blanks the chat first. Rejects with an error whose `code` is `token_malformed`, `token_invalid`,
       * `network`, `superseded`, `bot_unavailable` or `chunk_failed`; the visitor is then anonymous.
       * @example
       * await natter.auth.contacts.login({ token })
       */
      login(credentials: { token: string }): Promise<{ contact: CurrentContact | null }>
      /** Clears everything of the visitor at once, in every tab and offline too, and revokes the token. Never rejects. */
      logout(): Promise<void>
      readonly current: CurrentContact | null
    }
  }
  open(): void
  close(): void
  toggle(): void
  show(): void
  /** Closes the panel and takes the launcher away. */
  hide(): void
  /** Opens the panel; sends `text` as the visitor's message, puts `prefill` into the composer. */
  message(message: { text?: string; prefill?: string }): void
  /** Speaks another language, a BCP 47 tag. What is open stays open. */
  setLocale(tag: string): void
  on: Emitter['on']
  off: Emitter['off']
  /** Resolves when the launcher is there. */
  readonly ready: Promise<void>
  /** Takes the widget away and leaves nothing behind; the session stays for the next page. */
  destroy(): void
}

/** Fetches the later stages; asked again after a failure. */
export interface Chunks {
  core(): Promise<{ createApp: typeof createApp }>
  panel(): Promise<{ mountPanel(root: ShadowRoot, models: WidgetModels): () => void }>
  /** Where the site has a place or a launcher of its own. */
  displayMode(): Promise<typeof import('../displayMode/index.ts')>
}

const nothing = () => {}

/** Lets a promise be ignored without a page error. */
const quiet = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(nothing)
  return promise
}

export function createHandle(options: WidgetOptions & { baseUrl: string }, chunks: Chunks): WidgetHandle {
  const { on, off, emit, clear } = createEmitter()
  const launcher = createLauncher(options)
  const { host, root, button } = launcher
  const view = { open: false, unread: 0, failed: false } as LauncherView
  let locale = options.locale || document.documentElement.lang || navigator.language
  let core: App | undefined
  let corePromise: Promise<App> | false | undefined
  let unmount: (() => void) | undefined
  let destroyed = false
  /** What stands in storage has been taken up, or doesn't count any more: the page has logged in or out. */
  let hasClaimedIdentity = false

  const show = (change: Partial<LauncherView>) => launcher.draw(Object.assign(view, change))

  const tell: Emitter['emit'] = (event, detail) => {
    if (event === 'unread') show({ unread: (detail as { count: number }).count })
    else if (event === 'close') show({ open: false })
    emit(event, detail)
  }

  function setHidden(hidden: boolean) {
    if (host.hidden === hidden) return
    host.hidden = hidden
    emit(hidden ? 'hide' : 'show')
  }

  function load(): Promise<App> {
    corePromise ||= chunks.core().then(
      ({ createApp }) => {
        if (destroyed) throw gone()
        core = createApp({ ...options, locale, emit: tell, show })
        return core
      },
      () => {
        // What was decided can't be done: nobody is shown the person before, and the next try finds nothing of them.
        if (hasClaimedIdentity) forgetSession(options)
        corePromise = hasClaimedIdentity = false
        throw widgetError('chunk_failed', 'Natter could not be loaded')
      },
    )
    return corePromise
  }

  function begin(loaded: App): App {
    if (!hasClaimedIdentity) loaded.session.start()
    hasClaimedIdentity = true
    return loaded
  }

  /** Calls made before the core is there wait for it, in order; then they are made at once. */
  const call = <Result>(make: (core: App) => Result | Promise<Result>): Promise<Result> =>
    quiet(
      destroyed ? Promise.reject(gone()) : core ? Promise.resolve(make(begin(core))) : load().then(begin).then(make),
    )

  /** Fetches and mounts what the panel needs. Nothing of it asks the platform or stores before it has begun. */
  async function prepare() {
    const [loaded, { mountPanel }] = await Promise.all([load(), chunks.panel()])
    // First, so that a page that destroys the widget as soon as it opens takes the panel away, too.
    unmount ||= mountPanel(root, loaded)
    return loaded
  }

  /** Opens the panel as soon as it is there, if it is still to be open by then. */
  async function showPanel() {
    const opener = document.activeElement
    show({ open: true, failed: false })
    try {
      const loaded = begin(await prepare())
      // The browser has its turn before it is drawn.
      setTimeout(() => loaded.panel.setOpen(view.open, opener))
    } catch {
      if (view.open) {
        show({ open: false, failed: true })
        emit('error', { code: 'chunk_failed' })
      }
    }
  }

  /** Something stands in storage, of an earlier page or another tab: a session to restore, or what is left of one. */
  const restoreStoredSession = () => {
    if (readToken(options)) void call(nothing)
  }

  async function appear() {
    // The page that has called goes first: it may hide the widget, or destroy it.
    await null
    if (options.launcher || options.mode === 'inline') {
      // Where that part can't be loaded, the widget is where it is for everybody.
      const displayMode = await chunks.displayMode().catch(nothing)
      if (displayMode && !destroyed) await displayMode.place(handle, launcher, options)
    }
    if (destroyed) return
    launcher.attach()
    emit('ready')
    setTimeout(restoreStoredSession)
  }

  const handle: WidgetHandle = {
    auth: {
      get state() {
        return core ? core.session.state() : readToken(options)[0] === 'c' ? 'identifying' : 'anonymous'
      },
      contacts: {
        login(credentials) {
          hasClaimedIdentity = true
          return call(({ session }) => session.login(credentials))
        },
        logout() {
          hasClaimedIdentity = true
          // At once, whether or not the core can be fetched, and when it has gone.
          const token = core && !destroyed ? '' : forgetSession(options)
          return call(({ session }) => session.logout(token)).catch(nothing)
        },
        get current() {
          return core ? core.session.contact.peek() : null
        },
      },
    },
    open() {
      if (destroyed) return
      handle.show()
      // Also where it is open: it may be behind a dialog of the page.
      void showPanel()
    },
    close() {
      show({ open: false })
      if (core) core.panel.setOpen(false)
    },
    toggle: () => (view.open ? handle.close() : handle.open()),
    show() {
      if (destroyed) return
      launcher.attach()
      setHidden(false)
    },
    hide() {
      handle.close()
      setHidden(true)
    },
    message(words) {
      // First: what is no message opens nothing.
      void call(({ message }) => message(words))
      handle.open()
    },
    setLocale(tag) {
      locale = `${tag}`
      if (core) core.setLocale(locale)
      else show({ texts: { ...launcherTextsIn(locale), ...options.strings } })
    },
    on,
    off,
    ready: appear(),
    destroy() {
      destroyed = true
      view.open = false
      removeEventListener('storage', restoreStoredSession)
      removeEventListener('pageshow', restoreStoredSession)
      if (unmount) unmount()
      if (core) core.destroy()
      // Prototype.js has a `remove()` of its own, which throws where the page has taken the host out already.
      if (host.parentNode) host.remove()
      clear()
    },
  }
  handle.setLocale(locale)
  button.onclick = handle.toggle
  // The pointer or the focus has come: a click may follow.
  button.onpointerenter = button.onfocus = () => {
    prepare().catch(nothing)
  }
  addEventListener('storage', restoreStoredSession)
  addEventListener('pageshow', restoreStoredSession)
  return handle
}

const gone = () => widgetError('superseded', 'Natter was destroyed')
