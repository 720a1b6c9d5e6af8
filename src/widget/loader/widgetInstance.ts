import type { Attributes } from '../../contract/index.ts'
import type { App } from '../app/createApp.ts'
import type { Placement } from '../displayMode/placement.ts'
import { launcherTextsIn } from '../i18n/launcherStrings.ts'
import { checkContext } from './checkContext.ts'
import type { CoreState } from './coreState.ts'
import { widgetError } from './errors.ts'
import type { Emitter } from './events.ts'
import { findPlacement } from './findPlacement.ts'
import type { InstanceSettings } from './instanceSettings.ts'
import { createLauncher, type LauncherView } from './launcher.ts'
import { logoutWithoutCore } from './logoutWithoutCore.ts'
import { markHandled } from './markHandled.ts'
import { openByHash } from './openByHash.ts'
import { queueClicks } from './queueClicks.ts'
import { readContactToken, readToken } from './storedToken.ts'
import type { WidgetInstance } from './widgetHandle.ts'

export function createInstance(settings: InstanceSettings): WidgetInstance {
  const { options, chunks, context, waitingMessages, emit, report } = settings
  let core = { kind: 'absent' } as CoreState
  let unmountPanel: (() => void) | undefined
  /** `undefined` until it is decided. */
  let placement: Placement | undefined
  /** Whether the stored session must still be restored. A login of the page makes that unnecessary. */
  let shouldRestore = true
  /** The stored token that a `login()` before the core was loaded replaces. `''` if that login is with the same token. */
  let replacedToken = ''
  let logoutCount = 0
  let openingCount = 0
  const end = new AbortController()
  const view = { isOpen: false, hasFailed: false } as LauncherView
  const launcher = createLauncher(options, { onClick: toggle, onApproach: preload })
  const { host } = launcher
  host.hidden = settings.isHidden

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
        locale: settings.locale,
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
        waitingMessages.hold()
      }
      throw widgetError('chunk_failed', 'Natter could not load', cause)
    }
  }

  /** The page's login can't be performed. The previous person's session must not come back. */
  function giveUpLogin() {
    if (!shouldRestore) logoutWithoutCore(settings, replacedToken)
    shouldRestore = true
  }

  function restoreSession(app: App): App {
    if (shouldRestore) app.session.start()
    shouldRestore = false
    return app
  }

  /** Makes a call once the core is loaded, unless a logout comes first. Calls keep their order. */
  function withApp<Result>(call: (app: App) => Result | Promise<Result>): Promise<Result> {
    const makeCall = async (before: number) => {
      const app = core.kind === 'running' ? core.app : await loadApp()
      if (logoutCount > before) throw widgetError('superseded', 'Natter was logged out')
      return call(restoreSession(app))
    }
    return markHandled(makeCall(logoutCount))
  }

  /** Loads and mounts the panel, without sending requests to the platform or storing anything. */
  async function loadPanel(): Promise<App> {
    if (core.kind === 'destroyed') return runningApp()
    const [{ mountPanel }, { isInline }] = await Promise.all([chunks.panel(), placed, loadApp()])
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
      const app = waitingMessages.sendTo(restoreSession(await loadPanel()))
      // Let the browser paint the open launcher first: rendering the panel takes longer.
      setTimeout(() => {
        // Only the last call decides whether the panel takes the focus.
        if (view.isOpen && opening === openingCount) app.panel.setOpen(true, { opener, shouldTakeFocus })
      })
    } catch {
      // The chat was closed or destroyed meanwhile, so there is nothing to report.
      if (!view.isOpen) return
      render({ isOpen: false, hasFailed: true })
      const failure = { code: 'chunk_failed' } as const
      report(failure)
      emit('error', failure)
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
    const takeClick = queueClicks(options.launcher, end.signal)
    placement = await findPlacement(chunks, { options, launcher, toggle, preload, report })
    // The widget was destroyed meanwhile: destroy the placement, too.
    if (end.signal.aborted) destroy()
    else enterPage(placement, takeClick())
    return placement
  }

  function enterPage({ isInline, onLauncherClick = toggle }: Placement, queuedClick: Event | undefined) {
    attach()
    if (isInline && !view.isOpen && !host.hidden) void openPanel(false)
    // An early click asked for the chat: it must not close an inline chat, which is open from the start.
    if (queuedClick && !view.isOpen) onLauncherClick(queuedClick)
    // Another tab (`storage`) or another widget of this page (`natter:auth`) may log in.
    for (const event of ['storage', 'natter:auth', 'pageshow'])
      addEventListener(event, restoreStoredSession, { signal: end.signal })
    setTimeout(restoreStoredSession)
    setTimeout(openByHash, 0, open, end.signal)
    emit('ready')
  }

  function attach() {
    const container = placement && core.kind !== 'destroyed' && placement.findContainer()
    if (container) launcher.attach(container)
  }

  /** Loads the core if there is a stored session to restore, data of an ended one to erase, or a message to send. */
  function restoreStoredSession() {
    if (readToken(options)) void withApp(() => {})
  }

  function setHidden(isHidden: boolean) {
    if (host.hidden === isHidden) return
    settings.isHidden = host.hidden = isHidden
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
    const checked = checkContext(given, report)
    if (core.kind === 'running') core.app.setContext(checked)
    else Object.assign(context, { attributes: checked, contactId: null })
  }

  function setLocale(tag: string) {
    settings.locale = `${tag}`
    if (core.kind === 'running') core.app.setLocale(settings.locale)
    else render({ texts: { ...launcherTextsIn(settings.locale), ...options.strings } })
  }

  async function logout() {
    waitingMessages.clear()
    const { lastToken } = settings
    settings.lastToken = null
    try {
      if (core.kind === 'running') return await core.app.session.logout(lastToken)
      logoutCount++
      shouldRestore = true
      // Log out at once, even if the core can't be loaded. Only the core can erase IndexedDB and revoke the tokens.
      const tokens = [logoutWithoutCore(settings), lastToken]
      await (await chunks.core()).finishLogout(options, tokens)
    } catch {
      // The page can't do anything about a failure.
    }
  }

  function destroy() {
    const before = core
    core = { kind: 'destroyed' }
    waitingMessages.hold()
    view.isOpen = false
    end.abort('Natter was destroyed')
    // Remove the view last, because that may throw.
    if (before.kind === 'running') {
      settings.lastToken = before.app.session.token() || settings.lastToken
      before.app.destroy()
    } else if (before.kind === 'loading') giveUpLogin()
    launcher.detach()
    if (placement) placement.destroy()
    if (unmountPanel) unmountPanel()
  }

  setLocale(settings.locale)
  const placed = place()

  return {
    auth: {
      get state() {
        if (core.kind === 'running') return core.app.auth.state()
        return core.kind !== 'destroyed' && readContactToken(options) ? 'identifying' : 'anonymous'
      },
      // The site may have signed somebody else in since the waiting messages were written.
      refresh: () => withApp(app => waitingMessages.sendTo(app).refreshSignIn()),
      contacts: {
        login(credentials) {
          waitingMessages.clear()
          shouldRestore = false
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
      waitingMessages.add(message, !shouldRestore)
      void withApp(waitingMessages.sendTo)
      open()
    },
    setContext,
    setLocale,
    attach,
    destroy,
  }
}
