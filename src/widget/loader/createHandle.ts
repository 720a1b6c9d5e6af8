import type { Attributes } from '../../contract/index.ts'
import type { App } from '../app/createApp.ts'
import type { Placement } from '../displayMode/placement.ts'
import { launcherTextsIn } from '../i18n/launcherStrings.ts'
import { isContactToken } from '../identity/storedIdentity.ts'
import type { Chunks } from './chunks.ts'
import { createEmitter, type Emitter, widgetError } from './events.ts'
import { createLauncher, type LauncherView } from './launcher.ts'
import { pageLocale, type WidgetOptions } from './options.ts'
import { createPageMessageQueue } from './pageMessageQueue.ts'
import { parseOptions } from './parseOptions.ts'
import { findPlacement, listenToSiteLaunchers } from './placement.ts'
import { createReporter } from './problems.ts'
import { checkContext, type VisitorContext } from './setContext.ts'
import { forgetSession, isWorkPending, readToken } from './storedToken.ts'
import type { WidgetHandle } from './widgetHandle.ts'

/** What a widget needs besides the site's options. */
interface HandleInputs {
  chunks: Chunks
  /** The platform's address, if the options contain none. */
  baseUrl?: string
  /** Called once, after the page has destroyed the widget. */
  onDestroy?(): void
}

/** The state of the core chunk. It is loaded on first use, and again after a failure. */
type CoreState =
  | { kind: 'absent' }
  | { kind: 'loading'; promise: Promise<void> }
  | { kind: 'running'; app: App }
  /** The page has called `destroy()`. */
  | { kind: 'destroyed' }

/** Puts a widget on the page: the launcher, and core and panel once they are needed. */
export function createHandle(given: object, { chunks, baseUrl, onDestroy }: HandleInputs): WidgetHandle {
  const report = createReporter((given as Partial<WidgetOptions>).baseUrl || baseUrl)
  const options = parseOptions(given as Record<string, unknown>, report, baseUrl)
  const { on, off, emit, clear } = createEmitter()
  const ready = new Promise<void>(resolve => on('ready', resolve))
  const pageMessages = createPageMessageQueue(options)
  /** Changed in place, by the core too. */
  const context: VisitorContext = { attributes: {}, contactId: null }
  /** The current language: a BCP 47 tag from the options or `setLocale()`. */
  let locale = options.locale || pageLocale()
  let core = { kind: 'absent' } as CoreState
  let unmountPanel: (() => void) | undefined
  /** `undefined` until it is decided. */
  let placement: Placement | undefined
  /** How the session will start: with what is stored, or with a login of the page that waits for the core. */
  let nextStart: 'restore' | 'login' | undefined = 'restore'
  /** The stored token that a `login()` before the core was loaded replaces. `''` if that login is with the same token. */
  let replacedToken = ''
  /**
   * The tokens that a logout without the core revokes, until it has reached the platform. `destroy()` adds the last one: if
   * storage is blocked, it is stored nowhere else.
   */
  const tokensToRevoke: (string | null)[] = []
  let logoutCount = 0
  let openingCount = 0
  const end = new AbortController()
  const view = { isOpen: false, hasFailed: false } as LauncherView
  const launcher = createLauncher(options, { onClick: toggle, onApproach: preload })
  const { host } = launcher
  /** The page may replace its body, as Turbo does. */
  const { documentElement } = document
  const pageObserver = new MutationObserver(attach)
  pageObserver.observe(documentElement, { childList: true })

  function render(change: Partial<LauncherView>) {
    launcher.render(Object.assign(view, change))
    if (placement) placement.render(view)
  }

  // ---- Core and panel

  async function loadApp(): Promise<App> {
    if (core.kind === 'absent') core = { kind: 'loading', promise: startApp() }
    if (core.kind === 'loading') await core.promise
    return runningApp()
  }

  function runningApp(): App {
    if (core.kind === 'running') return core.app
    throw widgetError('destroyed', 'Natter was destroyed')
  }

  async function startApp(): Promise<void> {
    try {
      const { createApp } = await chunks.core()
      if (core.kind === 'destroyed') return
      const app = createApp({
        ...options,
        locale,
        context,
        launcherParts: launcher,
        emit: onAppEvent,
        renderLauncher: render,
        report,
      })
      core = { kind: 'running', app }
    } catch (cause) {
      if (core.kind !== 'destroyed') {
        core = { kind: 'absent' }
        giveUpLogin()
        pageMessages.hold()
      }
      throw widgetError('chunk_failed', 'Natter could not load', cause)
    }
  }

  /** The page's login can't be performed. The previous person's session must not come back. */
  function giveUpLogin() {
    if (nextStart === 'login') logoutWithoutCore(replacedToken)
    nextStart = 'restore'
  }

  function startSession(app: App): App {
    if (nextStart === 'restore') app.session.start()
    nextStart = undefined
    return app
  }

  /** Makes a call once the core is loaded, unless a logout comes first. Calls keep their order. */
  function withApp<Result>(call: (app: App) => Result | Promise<Result>): Promise<Result> {
    const makeCall = async (before: number) => {
      const app = core.kind === 'running' ? core.app : await loadApp()
      if (logoutCount > before) throw widgetError('superseded', 'Natter was logged out')
      return call(startSession(app))
    }
    return markHandled(makeCall(logoutCount))
  }

  /** Loads and mounts the panel, without sending requests to the platform or storing anything. */
  async function loadPanel(): Promise<App> {
    if (core.kind === 'destroyed') return runningApp()
    const [{ mountPanel }, { isInline }] = await Promise.all([chunks.panel(locale), placed, loadApp()])
    const app = runningApp()
    if (!unmountPanel) unmountPanel = mountPanel(launcher.root, app, isInline)
    return app
  }

  function preload(): Promise<void> {
    return markHandled(loadPanel().then(() => {}))
  }

  async function openPanel(shouldTakeFocus: boolean) {
    // The visitor may move the focus elsewhere while the panel is loading.
    const opener = document.activeElement
    const opening = ++openingCount
    render({ isOpen: true, hasFailed: false })
    try {
      const app = pageMessages.sendTo(startSession(await loadPanel()))
      // Let the browser paint the open launcher first: rendering the panel takes longer.
      setTimeout(() => {
        // Only the last call decides whether the panel takes the focus.
        if (view.isOpen && opening === openingCount) app.panel.setOpen(true, { opener, shouldTakeFocus })
      })
    } catch {
      // The chat was closed or destroyed meanwhile, so there is nothing to report.
      if (!view.isOpen) return
      render({ isOpen: false, hasFailed: true })
      if (Object.isFrozen(Object.prototype))
        report('This page has frozen `Object.prototype`, so there is no chat', 'browsers')
      emit('error', { code: 'chunk_failed' })
    }
  }

  const onAppEvent: Emitter['emit'] = (event, detail) => {
    if (event === 'close') render({ isOpen: false })
    emit(event, detail)
  }

  /** Puts the widget where the options say. */
  async function place(): Promise<Placement> {
    // Let the page's code run first: it may hide or destroy the widget that it has just created.
    await null
    placement = await findPlacement(chunks, { options, launcher, preload, report })
    // The page may have destroyed the widget meanwhile.
    if (end.signal.aborted) placement.destroy()
    else enterPage(placement)
    return placement
  }

  function enterPage({ isInline }: Placement) {
    render({})
    attach()
    // The page, or a click on the site's own launcher, may have opened it already.
    if (isInline && !view.isOpen && !host.hidden) void openPanel(false)
    // Load the core for a session to restore, data of an ended one to erase, or a message to send. Another tab (`storage`) or
    // another widget of this page (`natter:auth`) may log in.
    callNowAndOn(['storage', 'natter:auth', 'pageshow'], () => {
      if (isWorkPending(options)) void withApp(() => {})
    })
    addEventListener('online', () => void (tokensToRevoke.length && markHandled(finishLogout())), {
      signal: end.signal,
    })
    // An email or a link of the page can lead to the chat. A second click on the same link fires only `popstate`.
    callNowAndOn(['hashchange', 'popstate'], () => {
      if (location.hash === '#natter') open()
    })
    emit('ready')
  }

  function callNowAndOn(events: string[], call: () => void) {
    for (const event of events) addEventListener(event, call, { signal: end.signal })
    setTimeout(call)
  }

  /** Adds the widget to the page again if the page has removed it or replaced its body. */
  function attach() {
    // Not to a document that `document.open()` has made: it has removed all listeners, so no logout could be followed.
    const container = placement && core.kind !== 'destroyed' && documentElement.isConnected && placement.findContainer()
    if (container) launcher.attach(container)
  }

  function setHidden(isHidden: boolean) {
    if (host.hidden === isHidden) return
    host.hidden = isHidden
    emit(isHidden ? 'hide' : 'show')
  }

  // ---- Calls of the page

  function show() {
    const wasHidden = host.hidden
    attach()
    setHidden(false)
    // As on a page load.
    if (wasHidden && placement?.isInline) void openPanel(false)
  }

  function open() {
    if (core.kind === 'destroyed') return
    show()
    // Even if it is open: a dialog of the page may cover it by now.
    void openPanel(true)
  }

  function close() {
    render({ isOpen: false })
    if (core.kind === 'running') core.app.panel.setOpen(false)
  }

  function toggle() {
    if (view.isOpen) close()
    else open()
  }

  function setContext(given: Attributes | null) {
    const checked = checkContext(given)
    if (core.kind === 'running') core.app.setContext(checked)
    else Object.assign(context, { attributes: checked, contactId: null })
  }

  function setLocale(tag: string) {
    locale = `${tag}`
    if (core.kind === 'running') core.app.setLocale(locale)
    else render({ texts: { ...launcherTextsIn(locale), ...options.strings } })
  }

  async function logout() {
    pageMessages.clear()
    try {
      if (core.kind === 'running') return await core.app.session.logout()
      logoutCount++
      nextStart = 'restore'
      // Log out at once, even if the core can't be loaded.
      tokensToRevoke.push(logoutWithoutCore())
      await finishLogout()
    } catch {
      // The page can't do anything about a failure.
    }
  }

  /**
   * Ends the stored session. If a contact's token was stored, the page has seen the state `identifying` until now. Returns the
   * token, which only the core can revoke, or `''`. If a token is expected, another one is kept, because another tab has logged in
   * meanwhile.
   */
  function logoutWithoutCore(expectedToken?: string): string {
    const token = forgetSession(options, expectedToken)
    if (token === undefined) return ''
    Object.assign(context, { attributes: {}, contactId: null })
    if (isContactToken(token)) emit('auth', { state: 'anonymous', contact: null, reason: 'logout' })
    return token
  }

  /** Only the core can erase IndexedDB and revoke tokens. */
  async function finishLogout() {
    const chunk = await chunks.core()
    tokensToRevoke.push(...(await chunk.finishLogout(options, tokensToRevoke.splice(0))))
  }

  function destroy() {
    const before = core
    if (before.kind === 'destroyed') return
    core = { kind: 'destroyed' }
    view.isOpen = false
    pageObserver.disconnect()
    end.abort('Natter was destroyed')
    if (before.kind === 'running') {
      tokensToRevoke.push(before.app.session.token())
      before.app.destroy()
    } else if (before.kind === 'loading') giveUpLogin()
    clear()
    if (onDestroy) onDestroy()
    // Remove the view last, because that may throw.
    launcher.detach()
    if (placement) placement.destroy()
    if (unmountPanel) unmountPanel()
  }

  setLocale(locale)
  if (options.launcher) listenToSiteLaunchers(options.launcher, toggle, end.signal)
  const placed = place()

  return {
    auth: {
      get state() {
        if (core.kind === 'running') return core.app.auth.state()
        return core.kind !== 'destroyed' && isContactToken(readToken(options)) ? 'identifying' : 'anonymous'
      },
      // The site may have signed somebody else in since the page has said something.
      refresh: () => withApp(app => pageMessages.sendTo(app).refreshSignIn()),
      contacts: {
        login(credentials) {
          pageMessages.clear()
          nextStart = 'login'
          const stored = readToken(options)
          replacedToken = stored === credentials?.token ? '' : stored
          return withApp(({ session }) => session.login(credentials))
        },
        logout,
        get current() {
          return core.kind === 'running' ? core.app.auth.contact() : null
        },
      },
    },
    open,
    close,
    toggle,
    show,
    hide() {
      close()
      setHidden(true)
    },
    preload,
    // Destructure the argument, so that a call without an object throws at once and opens nothing.
    message({ ...message }) {
      pageMessages.add(message, nextStart === 'login')
      void withApp(pageMessages.sendTo)
      open()
    },
    setContext,
    setLocale,
    on,
    off,
    ready,
    destroy,
  }
}

/** Prevents an `unhandledrejection` event if the page ignores the promise. Returns the promise. */
function markHandled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {})
  return promise
}
