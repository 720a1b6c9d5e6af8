// A simulated browser with several tabs, in which a plan makes events happen in any order.
import type { EndReason } from '../../contract/index.ts'
import type { OutboxEntry, RecordsMeta } from '../store/guards.ts'
import { storageDelayMs } from '../store/storageDelays.ts'
import { createRandom } from './createRandom.ts'
import { createFakeClock, settle } from './fakeClock.ts'
import { createFakePlatform } from './fakePlatform.ts'
import { createTraffic, type Post } from './fakeTraffic.ts'
import { ada, createFakeBrowser, grace, outcome } from './fixtures.ts'
import { createSimulatedSite } from './simulatedSite.ts'
import { type Answer, createTokenAnswers } from './simulatedTokens.ts'
import { createLabels } from './simulationLabels.ts'
import { type Actor, addContacts, type Step, tokens } from './simulationPlans.ts'
import { watchErasures } from './watchErasures.ts'

const reasons: EndReason[] = ['revoked', 'expired', 'contact_deleted']

export function createSimulation({
  locks = true,
  apart = false,
  answer = 'none' as Answer | 'none',
  most = 3,
  hasSite = false,
} = {}) {
  const platform = createFakePlatform()
  const traffic = createTraffic()
  const clock = Object.assign(createFakeClock(), { random: createRandom() })
  /** Epochs that took longer to reach all tabs than the widget assumes (`storageDelayMs`). */
  const shownLate = new Set<string>()
  const post: Post = (lane, fn) => {
    const postedAt = clock.now()
    traffic.post(lane, () => {
      fn()
      if (lane.startsWith('storage') && clock.now() - postedAt >= storageDelayMs)
        shownLate.add(browser.identity().epoch)
    })
  }
  const browser = createFakeBrowser(platform, clock, { post, apart })
  const { isErasedOnPurpose } = watchErasures(browser)
  const { asked, refreshToken } = createTokenAnswers(platform, traffic, answer)
  const site = hasSite ? createSimulatedSite(platform, browser.clock.now) : undefined
  const violations: string[] = site?.violations ?? []
  const logins: { who: string; result?: string | undefined; tab: Actor; at: number }[] = []
  const written: { text: string; label: string; tab: Actor; how: 'send' | 'draft' }[] = []
  /** Texts that a login or logout in the same tab must have erased. */
  const gone = new Set<string>()
  /** Messages that were in the database, and the epoch of that record. */
  const kept = new Map<string, string>()
  /** What the plan has done to storage. It can make tabs disagree. */
  const storage = { wasEmptied: false, hasFailed: false, wasDenied: false }
  const waits = hasSite ? [600, 11_000, 21_000, 70_000] : [100, 600, 3000, 11_000, 21_000]
  const actors: Actor[] = []
  let count = 0
  addContacts(platform)
  const messagesOf = (who: string) => platform.sessions.get(tokens[who] as string)?.messages ?? []
  for (const who of ['ada', 'grace']) platform.say(messagesOf(who), { text: `${who}: 0` })

  const { contactIn, labelIn, ownerOf, disown, watch } = createLabels(platform, violations)

  function open() {
    if (alive().length >= most) return
    const name = `tab ${actors.length}`
    const tab: Actor = Object.assign(
      browser.openTab({
        locks,
        fetch: traffic.fetch(site?.fetchOf(name) ?? platform.fetch),
        ...(site && { tokenUrl: '/chat-token' }),
        ...(answer !== 'none' && { refreshToken }),
      }),
      { name, putAway: false, offline: false },
    )
    actors.push(tab)
    const undo = watch(tab)
    tab.life.end.addEventListener('abort', undo)
    site?.watch(tab, name)
  }

  function show(tab: Actor) {
    tab.deafen(false)
    if (site?.comeBack(tab)) changePerson(tab)
    tab.setHidden(false)
  }

  function hide(tab: Actor) {
    site?.leave(tab)
    tab.setHidden(true)
  }

  const alive = () => actors.filter(({ life }) => !life.end.aborted)

  function forget(tab: Actor, isGone: (entry: (typeof written)[number]) => boolean) {
    // Without access to storage nothing can be erased.
    if (browser.faults.isDenied) return
    for (const entry of written) if (entry.tab === tab && isGone(entry)) gone.add(entry.text)
  }

  /** What a process has not written yet, it erases nowhere. */
  function kill(tab: Actor) {
    const isLost = traffic.isWaiting(`record of ${tab.name}`)
    for (const entry of written) if (isLost && entry.tab === tab) gone.delete(entry.text)
    tab.life.die()
  }

  /** Somebody else may use the tab from now on. */
  const changePerson = (tab: Actor) =>
    disown(
      tab,
      written.filter(entry => entry.tab === tab).map(({ text }) => text),
    )

  function login(tab: Actor, who: string) {
    changePerson(tab)
    forget(tab, ({ label }) => label === 'anonymous')
    const entry: (typeof logins)[number] = { who, tab, at: browser.clock.now() }
    logins.push(entry)
    site?.startLogin(tokens[who] as string, tab.name)
    void outcome(tab.core.login(tokens[who] as string)).then(result => {
      entry.result = result ?? 'nobody'
      site?.endLogin(tokens[who] as string)
      // A page that is gone hears nothing, though its code still runs here.
      if ((result === ada.name || result === grace.name) && !tab.life.end.aborted) {
        if (tab.core.contact()?.name !== result) violations.push(`${tab.name}'s login resolved to ${result} too late`)
      }
    })
  }

  const canWrite = (tab: Actor) => tab.core.models.signIn.canWrite.peek()

  function compose(tab: Actor, how: 'send' | 'draft'): string {
    const label = labelIn(tab)
    const text = `${label}: ${++count}`
    written.push({ text, label, tab, how })
    return text
  }

  /** Steps of the page or the visitor in a tab. They don't happen while the tab is frozen. */
  const tabSteps: Record<string, (tab: Actor, choice: number) => void> = {
    ada: tab => login(tab, 'ada'),
    'other ada': tab => login(tab, 'other ada'),
    grace: tab => login(tab, 'grace'),
    refused: tab => login(tab, 'refused'),
    malformed: tab => login(tab, 'malformed'),
    logout(tab) {
      changePerson(tab)
      forget(tab, ({ label, how }) => label === 'anonymous' || how === 'draft')
      void tab.core.logout()
      const { messageStore, outbox } = tab.core.models.conversation
      const { messages } = messageStore
      const { pending } = outbox
      const left = [...messages.peek(), ...pending.peek()].length + tab.core.models.draft.text.peek().length
      if (left) violations.push(`${tab.name} has logged out and shows something`)
    },
    send(tab) {
      if (canWrite(tab)) tab.core.models.conversation.outbox.send(compose(tab, 'send'))
    },
    draft(tab) {
      if (canWrite(tab)) tab.core.models.draft.setText(compose(tab, 'draft'))
    },
    message(tab) {
      // The site is asked first, so what follows belongs to whom it names.
      tab.core.models.signIn.checkUnlessConfirmed()
      tab.core.models.message({ text: compose(tab, 'send'), prefill: compose(tab, 'draft') })
    },
    refresh(tab) {
      changePerson(tab)
      void tab.core.models.refreshSignIn()
    },
    read: tab => tab.core.models.conversation.readState.markRead(),
    hide,
    show,
    'put away'(tab) {
      tab.fire('pagehide')
      if (site) hide(tab)
      tab.life.freeze()
      tab.putAway = true
    },
    freeze(tab) {
      if (site) hide(tab)
      tab.fire('freeze')
      tab.life.freeze()
    },
    deafen: tab => tab.deafen(true),
    'clear storage'(tab) {
      tabSteps['clear storage unseen']?.(tab, 0)
      tab.fire('visibilitychange')
    },
    /** A window gets no `storage` event for its own writes. The widget reads storage again when it has something to do. */
    'clear storage unseen'(tab) {
      storage.wasEmptied = true
      tab.storage.clear()
    },
    reload(tab) {
      tab.fire('pagehide')
      kill(tab)
      open()
    },
  }

  function comeBack(tab: Actor) {
    tab.life.thaw()
    if (site) show(tab)
    if (tab.putAway) tab.fire('pageshow')
    tab.putAway = false
  }

  const current = () => browser.token() ?? undefined

  async function act({ do: what, tab: at, choice }: Step): Promise<void> {
    const tabs = alive()
    const tab = tabs[at % tabs.length]
    // Give each message a time of its own.
    if (what === 'send') await browser.clock.advance(1)
    if (what === 'deliver') {
      for (let times = choice % 5; times >= 0 && traffic.waiting; times--) {
        traffic.deliver(choice)
        await settle()
      }
    } else if (what === 'wait') await browser.clock.advance(waits[choice % waits.length] ?? 0)
    else if (what === 'open') open()
    else if (what === 'network') {
      traffic.cut()
      for (const each of choice % 2 ? tabs : []) setOnline(each, false)
    } else if (what === 'no network') mendNetwork()
    else if (what === 'fill storage') failStorage({ isFull: true })
    else if (what === 'deny storage') failStorage({ isDenied: true })
    else if (what === 'mend storage') mendStorage()
    else if (what === 'end') platform.end(current() ?? '', reasons[choice % 3] as EndReason)
    else if (what === 'say') {
      for (const who of ['ada', 'grace'])
        platform.say(messagesOf(who), { id: `said ${++count}`, text: `${who}: ${count}` })
    } else if (what === 'kill') tab && kill(tab)
    else if (what === 'come back') tab && comeBack(tab)
    else if (tab && !tab.life.frozen && tabSteps[what]) tabSteps[what](tab, choice)
    else site?.act(what)
    await settle()
    site?.checkAll(alive())
    const meta = browser.records.get('meta') as RecordsMeta | undefined
    const outbox = (browser.records.get('outbox') ?? []) as OutboxEntry[]
    for (const { text } of outbox) kept.set(text, meta?.epoch ?? '')
  }

  function failStorage(faults: Partial<typeof browser.faults>) {
    storage.hasFailed = true
    storage.wasDenied ||= faults.isDenied === true
    Object.assign(browser.faults, faults)
  }

  const mendStorage = () => Object.assign(browser.faults, { isFull: false, isDenied: false })

  function setOnline(tab: Actor, online: boolean) {
    tab.offline = !online
    tab.setOnline(online)
  }

  function mendNetwork() {
    traffic.down = false
    for (const tab of alive()) if (tab.offline) setOnline(tab, true)
  }

  /** Repairs everything, then delivers everything and advances the clock until nothing is left to do. */
  async function rest(choices: readonly number[] = []) {
    mendNetwork()
    mendStorage()
    if (!alive().length) open()
    for (const tab of alive()) {
      comeBack(tab)
      show(tab)
      // A tab whose storage has failed keeps its session in memory until the page is loaded again.
      if (storage.hasFailed) tabSteps['reload']?.(tab, 0)
    }
    let at = 0
    for (let turn = 0; turn <= 32; turn++) {
      if (turn) await browser.clock.advance(3000)
      for (let left = 3000; traffic.waiting; left--) {
        if (!left) throw new Error('The simulation never comes to rest')
        traffic.deliver(choices[at++ % choices.length] ?? 0)
        await settle()
      }
    }
  }

  return {
    platform,
    browser,
    traffic,
    alive,
    act,
    rest,
    violations,
    site,
    logins,
    written,
    gone,
    kept,
    isErasedOnPurpose,
    shownLate,
    storage,
    asked,
    open,
    messagesOf,
    contactIn,
    labelIn,
    ownerOf,
    current,
    end: () => void alive().map(tab => tab.core.destroy()),
  }
}
export type Simulation = ReturnType<typeof createSimulation>
