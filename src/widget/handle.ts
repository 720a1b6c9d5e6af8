import type { Core, createCore, Models } from './core.ts'
import { widgetError } from './errors.ts'
import { type AuthState, type CurrentContact, createEmitter, type Emitter } from './events.ts'
import { createLauncher } from './launcher.ts'
import type { WidgetOptions } from './options.ts'
import { forgetSession, readToken } from './storage/early.ts'

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
  on: Emitter['on']
  off: Emitter['off']
  /** Resolves when the launcher is there. */
  readonly ready: Promise<void>
  /** Takes the widget away and leaves nothing behind; the session stays for the next page. */
  destroy(): void
}

/** Fetches the later stages; asked again after a failure. */
export interface Stages {
  core(): Promise<{ createCore: typeof createCore }>
  panel(): Promise<{ mountPanel(root: ShadowRoot, models: Models): () => void }>
}

const nothing = () => {}

/** Lets a promise be ignored without a page error. */
const quiet = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(nothing)
  return promise
}

export function createHandle(options: WidgetOptions & { baseUrl: string }, stages: Stages): WidgetHandle {
  const { botId } = options
  const { on, off, emit, clear } = createEmitter()
  let core: Core | undefined
  let coming: Promise<Core> | undefined
  let unmount: (() => void) | undefined
  let open = false
  let hidden = false
  let destroyed = false
  /** The page has logged in or out before the core was there: what stands in storage doesn't count any more. */
  let decided = false

  const launcher = createLauncher({
    options,
    onClick: () => handle.toggle(),
    onIntent() {
      stages.core().catch(nothing)
      stages.panel().catch(nothing)
    },
    onRetry: () => handle.open(),
  })

  const tell: Emitter['emit'] = (event, detail) => {
    if (event === 'unread') launcher.setUnread((detail as { count: number }).count)
    if (event === 'close') {
      setOpen(false)
      // Only a focus that would be lost; one that is elsewhere in the page stays there.
      if (launcher.root.activeElement) launcher.focus()
    }
    emit(event, detail)
  }

  function setOpen(next: boolean) {
    open = next
    launcher.setOpen(next)
  }

  function setHidden(next: boolean) {
    if (hidden === next) return
    hidden = next
    launcher.setHidden(next)
    emit(next ? 'hide' : 'show', undefined)
  }

  function load(): Promise<Core> {
    coming ||= stages.core().then(
      ({ createCore }) => {
        if (destroyed) throw gone()
        core = createCore({ ...options, strings: launcher.texts, emit: tell })
        if (!decided) core.session.start()
        return core
      },
      () => {
        coming = undefined
        // What was decided can't be done: nobody is shown the person before, and the next try finds nothing of them.
        if (decided) forgetSession(botId)
        decided = false
        throw widgetError('chunk_failed', 'Natter could not be loaded')
      },
    )
    return quiet(coming)
  }

  /** Calls made before the core is there wait for it, in order; then they are made at once. */
  const call = <Result>(make: (core: Core) => Result | Promise<Result>): Promise<Result> =>
    destroyed ? Promise.reject(gone()) : core ? Promise.resolve(make(core)) : load().then(make)

  async function showPanel() {
    launcher.setFailed(false)
    try {
      const [loaded, { mountPanel }] = await Promise.all([load(), stages.panel()])
      if (!open || destroyed) return
      loaded.panel.setOpen(open)
      unmount ||= mountPanel(launcher.root, loaded)
    } catch {
      if (!open || destroyed) return
      setOpen(false)
      launcher.setFailed(true)
      emit('error', { code: 'chunk_failed' })
    }
  }

  /** Something stands in storage, of an earlier page or another tab: a session to restore, or what is left of one. */
  const wake = () => {
    if (readToken(botId)) void load()
  }

  const handle: WidgetHandle = {
    auth: {
      get state() {
        return core ? core.session.state() : /^c/.test(readToken(botId)) ? 'identifying' : 'anonymous'
      },
      contacts: {
        login(credentials) {
          decided = true
          return quiet(call(({ session }) => session.login(credentials?.token)))
        },
        logout() {
          decided = true
          // At once, whether or not the core can be fetched.
          const token = core || destroyed ? '' : forgetSession(botId)
          return call(({ session }) => session.logout(token || undefined)).catch(nothing)
        },
        get current() {
          return core ? core.session.contact.peek() : null
        },
      },
    },
    open() {
      if (destroyed) return
      handle.show()
      if (open) return
      setOpen(true)
      void showPanel()
    },
    close() {
      setOpen(false)
      core?.panel.setOpen(false)
    },
    toggle: () => (open ? handle.close() : handle.open()),
    show() {
      if (destroyed) return
      launcher.attach()
      setHidden(false)
    },
    hide() {
      handle.close()
      setHidden(true)
    },
    message({ text, prefill }) {
      handle.open()
      const say = ({ conversation, panel }: Core) => {
        if (text) conversation.send(text)
        if (prefill) panel.setDraft(prefill)
      }
      quiet(call(say))
    },
    on,
    off,
    ready: Promise.resolve().then(() => {
      if (destroyed) return
      launcher.attach()
      emit('ready', undefined)
      setTimeout(wake)
    }),
    destroy() {
      destroyed = true
      removeEventListener('storage', wake)
      removeEventListener('pageshow', wake)
      unmount?.()
      core?.destroy()
      launcher.destroy()
      clear()
    },
  }
  addEventListener('storage', wake)
  addEventListener('pageshow', wake)
  return handle
}

const gone = () => widgetError('superseded', 'Natter was destroyed')
