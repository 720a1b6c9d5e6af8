// An in-memory browser with tabs, and a clock that tests advance.
import type { Message } from '../../contract/index.ts'
import type { SendBlob } from '../api/attachments.ts'
import { type App, createApp, finishLogout } from '../app/createApp.ts'
import { createAttachments } from '../app/createAttachments.ts'
import type { Environment } from '../app/environment.ts'
import * as stream from '../app/stream.ts'
import type { Clock } from '../environment/clock.ts'
import type { Page, PageEvent } from '../environment/page.ts'
import type { OwnStrings, Strings } from '../i18n/en.ts'
import { textsIn } from '../i18n/locales.ts'
import * as siteChunk from '../identity/site.ts'
import {
  createNonce,
  type EpochReason,
  nextEpoch,
  parseIdentity,
  type StoredIdentity,
  storageKey,
  stringifyIdentity,
} from '../identity/storedIdentity.ts'
import type { AuthState, CurrentContact, WidgetEvents } from '../loader/events.ts'
import type { WidgetOptions } from '../loader/options.ts'
import { createNotifications } from '../notifications/createNotifications.ts'
import { createFakeClock, type FakeClock } from './fakeClock.ts'
import { createFakePlatform, type FakePlatform } from './fakePlatform.ts'
import { createFakeStorage, type StorageFaults } from './fakeStorage.ts'
import { createFakeOrigin, createLife, type Life } from './fakeTabs.ts'
import { type Post, promptly } from './fakeTraffic.ts'
import { createMemoryUpdate } from './memoryUpdate.ts'

export { createMemoryUpdate }

export const contactToken = (digit: string) => `c:${digit.repeat(64)}`
export const ada = { id: 'ada', name: 'Ada Lovelace' }
export const grace = { id: 'grace', name: 'Grace Hopper' }

export const adaToken = contactToken('a')
export const graceToken = contactToken('b')

/** Creates a platform on which Ada and Grace have one message each, and a browser, for which see `createFakeBrowser`. */
export function createAcme(processes?: Parameters<typeof createFakeBrowser>[2]) {
  const platform = createFakePlatform()
  platform.addContact(adaToken, ada)
  platform.addContact(graceToken, grace)
  const said = (token: string): Message[] => platform.sessions.get(token)?.messages ?? []
  platform.say(said(adaToken), { text: 'Dear Ada' })
  platform.say(said(graceToken), { text: 'Dear Grace' })
  return { platform, said, browser: createFakeBrowser(platform, undefined, processes) }
}

/** Resolves to the name of the contact that a login has identified, or to the code of its error. */
export const outcome = (login: Promise<{ contact: { name: string } | null }>): Promise<string | undefined> =>
  login.then(
    ({ contact }) => contact?.name,
    (error: Error & { code: string }) => error.code,
  )
export const shown = ({ core }: Tab): string[] =>
  core.models.conversation.messageStore.messages.value.map(({ text }) => text)
export const status = ({ core }: Tab): string => core.models.session.status.value
/** The `auth` events as `[state, contact, reason]`. */
export const authOf = ({ events }: Tab) =>
  events
    .filter(([name]) => name === 'auth')
    .map(([, detail]) => {
      const { state, contact, reason } = detail as WidgetEvents['auth']
      return [state, contact?.id ?? null, reason]
    })

export interface Tab {
  core: Pick<App['session'], 'start' | 'logout' | 'dismissEndReason'> &
    Pick<App, 'destroy'> & {
      models: App
      finishLogout(tokens: readonly (string | null)[]): Promise<string[]>
      contact(): CurrentContact | null
      state(): AuthState
      login(token: string): ReturnType<App['session']['login']>
      setOpen(open: boolean): void
    }
  /** The events that the page has received. */
  events: [name: string, detail: unknown][]
  fire(event: PageEvent): void
  /** Disconnects or reconnects the network. `navigator.onLine` changes accordingly. */
  setOnline(online: boolean): void
  /** Changes `navigator.onLine` only, without changing the network. */
  hintOnline(online: boolean): void
  /** Hides or shows the tab. */
  setHidden(hidden: boolean): void
  /** Freezes, thaws or kills the tab. */
  life: Life
  /** Starts or stops ignoring `storage` events. */
  deafen(deaf: boolean): void
  /** The tab's localStorage. */
  storage: Storage
  /** The number of listeners on the page. */
  readonly listeners: number
}

/** Creates a browser whose tabs share storage. `post` decides when messages between tabs and writes to storage arrive. */
export function createFakeBrowser(
  platform: FakePlatform,
  clock: FakeClock = createFakeClock(),
  { post = promptly, apart = false }: { post?: Post; apart?: boolean } = {},
) {
  const local = new Map<string, string>()
  const records = new Map<string, unknown>()
  const origin = createFakeOrigin(post)
  const faults: StorageFaults = { isFull: false, isDenied: false }
  const shared = createFakeStorage(local, post, apart, faults)
  let made = 0
  let opened = 0

  function openTab({
    start = true,
    blocked = false,
    locks = true,
    /** Ignores `storage` events until `deafen(false)`, as a tab that is busy. */
    deaf = false,
    fetch = platform.fetch,
    update = createMemoryUpdate(records, faults),
    refreshToken = undefined as WidgetOptions['refreshToken'],
    tokenUrl = undefined as string | undefined,
    hidden = false,
    locale = 'en',
    strings = {} as OwnStrings,
    /** Loads the locales. */
    locales = async () => ({ textsIn }),
    renderLauncher = (_view: { texts: Strings }) => {},
    /** Called with each event that the page receives. */
    onHeard = (_event: string) => {},
    /** The widgets of the same window, which get no `storage` events for each other's writes. */
    widgets = new Set<() => void>(),
    isOriginRefused = async () => false,
    report = (_what: string) => {},
    /** Whether the chunk `stream` can be loaded. */
    canLoadStreams = (): boolean => true,
    /** Whether the chunk `attachments` can be loaded. */
    canLoadFiles = (): boolean => true,
    site = async () => siteChunk,
  } = {}): Tab {
    const listeners: [PageEvent, () => void][] = []
    let online = true
    let hasNetwork = true
    const life = createLife()
    const name = `tab ${opened++}`
    const { openChannel, withLock } = origin.openTab(name, life)
    const fire = (event: PageEvent) => {
      for (const listener of [...listeners]) {
        const [each, fn] = listener
        // An earlier listener may have removed this one.
        if (each === event && listeners.includes(listener)) fn()
      }
    }
    const storage = shared.openTab(name, widgets, () => deaf || life.run(() => fire('storage')))
    widgets.add(() => life.run(() => fire('natter:auth')))
    const setTimeout: Clock['setTimeout'] = (fn, ms) => {
      let isCancelled = false
      const cancelTimer = clock.setTimeout(() => life.run(() => isCancelled || fn()), ms)
      return () => {
        // The timer may be due already and wait for the tab to thaw.
        isCancelled = true
        cancelTimer()
      }
    }
    const page: Page = {
      online: () => online,
      isHidden: () => hidden,
      notifySameWindow: () =>
        queueMicrotask(() => {
          for (const notify of widgets) notify()
        }),
      on(event, fn) {
        const listener: [PageEvent, () => void] = [event, fn]
        listeners.push(listener)
        return () => listeners.splice(listeners.indexOf(listener), 1)
      },
      openChannel,
      async withLock(lock, abortSignal, fn) {
        if (locks) await withLock(lock, abortSignal, fn)
        else if (!abortSignal.aborted) await fn(false)
      },
    }
    const tabFetch = life.fetch(((url, init) =>
      hasNetwork ? fetch(url, init) : Promise.reject(new TypeError('Failed to fetch'))) as typeof fetch)
    const sendBlob: SendBlob = (url, init, body, onProgress) => {
      onProgress(0.5)
      return tabFetch(url, { ...init, body })
    }
    const environment: Environment = {
      clock: { now: clock.now, random: clock.random, setTimeout },
      page,
      storage() {
        if (blocked || faults.isDenied) throw new DOMException('Access is denied', 'SecurityError')
        return storage
      },
      update: blocked
        ? () => Promise.reject(new Error('blocked'))
        : (keys, change) =>
            new Promise((resolve, reject) =>
              post(`record of ${name}`, () => life.run(() => life.gate(update(keys, change)).then(resolve, reject))),
            ),
      fetch: tabFetch,
      stream: () => loadChunk(canLoadStreams(), stream),
      createId: () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`,
      site,
      attachments: () => loadChunk(canLoadFiles(), { createAttachments: deps => createAttachments(deps, sendBlob) }),
      notifications: async () => ({ createNotifications }),
      isOriginRefused,
      onRefused() {},
      locales,
    }
    const events: Tab['events'] = []
    const emit = <Name extends keyof WidgetEvents>(event: Name, detail: WidgetEvents[Name]) => {
      events.push([event, detail])
      onHeard(event)
    }
    const settings = {
      botId: 'bot',
      baseUrl: 'https://chat.example',
      locale,
      strings,
      renderLauncher,
      emit,
      report,
      ...(refreshToken && { refreshToken }),
      ...(tokenUrl && { tokenUrl }),
    }
    const models = createApp(settings, environment)
    const { session, panel, destroy } = models
    if (start) session.start()
    return {
      core: {
        start: () => session.start(),
        logout: session.logout,
        dismissEndReason: session.dismissEndReason,
        finishLogout: tokens => finishLogout(settings, tokens, environment),
        models,
        contact: () => session.contact.peek(),
        state: () => session.authState.peek(),
        login: token => session.login({ token }),
        setOpen: panel.setOpen,
        destroy,
      },
      events,
      fire,
      storage,
      life,
      deafen(next) {
        deaf = next
      },
      setHidden(next) {
        hidden = next
        fire('visibilitychange')
      },
      setOnline(next) {
        hasNetwork = next
        this.hintOnline(next)
      },
      hintOnline(next) {
        online = next
        fire(next ? 'online' : 'offline')
      },
      get listeners() {
        return listeners.length
      },
    }
  }
  const identity = () => parseIdentity(local.get(storageKey('bot', 'identity')))
  const laterEpoch = (reason: EpochReason) => nextEpoch(identity().epoch, clock.now(), createNonce(reason))
  return {
    clock,
    local,
    records,
    /** Change these to make storage fail. */
    faults,
    origin,
    openTab,
    identity,
    token: () => identity().token,
    /** Stores another identity, as another tab does, without a `storage` event. */
    storeIdentity(change: Partial<StoredIdentity>) {
      const { epoch, reason, token } = { ...identity(), ...change }
      local.set(storageKey('bot', 'identity'), stringifyIdentity(epoch || laterEpoch(reason), reason, token))
    },
    /** Begins an epoch as another tab does, without a `storage` event. */
    storeEpoch(reason: EpochReason) {
      local.set(storageKey('bot', 'identity'), stringifyIdentity(laterEpoch(reason), reason))
    },
  }
}

async function loadChunk<Chunk>(canLoad: boolean, chunk: Chunk): Promise<Chunk> {
  if (!canLoad) throw new TypeError('Failed to fetch dynamically imported module')
  return chunk
}
