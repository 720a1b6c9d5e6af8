// Invariants of identity and tabs that must hold when a simulation has come to rest.

import { storageKey } from '../identity/storedIdentity.ts'
import type { RecordsMeta } from '../store/guards.ts'
import { ada, grace, shown, status } from './fixtures.ts'
import type { Simulation } from './simulation.ts'
import { tokens } from './simulationPlans.ts'

const codes = ['token_invalid', 'network', 'superseded', 'destroyed']
const names: Record<string, string> = { ada: ada.name, 'other ada': ada.name, grace: grace.name }

/** Returns a description of each violated invariant. */
export function checkInvariants(
  simulation: Simulation,
  { locks, apart = false, answer }: { locks: boolean; apart?: boolean; answer?: string },
): string[] {
  const { platform, browser, violations, logins, written, gone, storage, asked, alive, contactIn, current } = simulation
  const found = [...violations]
  const expect = (isTrue: boolean, text: string) => isTrue || found.push(text)

  for (const { who, result, tab } of logins) {
    if (tab.life.end.aborted) continue
    const allowed = [names[who] ?? '', ...codes, ...(who === 'malformed' ? ['token_malformed'] : [])]
    // When the site is asked to replace an expired token, it may return another person's.
    if (answer === 'other' && asked.includes(tokens[who] ?? '')) allowed.push(grace.name)
    if (who === 'malformed') expect(result === 'token_malformed', `a malformed login: ${result}`)
    else expect(allowed.includes(result ?? 'nothing'), `the login as ${who}: ${result}`)
  }

  const token = current()
  const session = platform.sessions.get(token ?? '')
  const who = session?.contact?.id
  expect(!token || session?.ended === null, 'storage contains the token of an ended session')
  const meta = browser.records.get('meta') as RecordsMeta | undefined
  // If two tabs began an epoch at once, the tab that lost and is gone may have been the last to write to the database.
  const isBlank = apart && meta?.owner === '' && !browser.records.has('transcript')
  expect(
    !meta || isBlank || meta.owner === (who ?? ''),
    `the records are ${meta?.owner || 'nobody'}'s, and the token ${who ?? 'nobody'}'s`,
  )

  for (const tab of alive()) {
    const { pending } = tab.core.models.conversation.outbox
    expect(contactIn(tab) === who, `${tab.name} is ${contactIn(tab) ?? 'nobody'}, and storage ${who ?? 'nobody'}`)
    expect(status(tab) === (who ? 'identified' : 'anonymous'), `${tab.name} is ${status(tab)}`)
    const stored = (session?.messages ?? []).map(({ text }) => text)
    expect(same(shown(tab), stored), `${tab.name} shows ${shown(tab)} of ${stored}`)
    const left = pending.peek().filter(each => each.status !== 'failed')
    expect(!left.length, `${tab.name} still waits: ${left.map(({ text }) => text)} (${left.map(each => each.status)})`)
  }

  // With locks, tabs share a channel and so the same state. Of drafts written in two tabs at once, the last one wins.
  const drafting = new Set(written.filter(({ how }) => how === 'draft').map(({ tab }) => tab)).size
  const [first, ...rest] = locks && token ? alive() : []
  for (const tab of rest) {
    const of = (each: typeof tab) => {
      const { conversation, draft } = each.core.models
      return JSON.stringify([
        conversation.outbox.pending.peek().map(({ text }) => text),
        drafting < 2 && draft.text.peek(),
        conversation.readState.unread.peek(),
      ])
    }
    if (first) expect(of(tab) === of(first), `${tab.name} has ${of(tab)}, and ${first.name} ${of(first)}`)
  }

  const kept = JSON.stringify([...browser.records, ...browser.local])
  for (const name of ['ada', 'grace']) expect(name === who || !kept.includes(`${name}: `), `data of ${name} is stored`)
  expect(!who || !kept.includes('anonymous: '), `data of an anonymous visitor is stored for ${who}`)
  for (const ended of [...platform.sessions].filter(([, { ended }]) => ended)) {
    // A tab of another process may complete the creation of a session, find it superseded, and revoke it.
    const isCompletedLate = apart && meta?.token === ended[0]
    expect(isCompletedLate || !kept.includes(ended[0]), 'the token of an ended session is stored')
  }

  const left = alive().flatMap(({ core: { models } }) => [
    ...models.draft.text.peek().split('\n'),
    ...models.conversation.outbox.pending.peek().map(({ text }) => text),
  ])
  const { text: draft = '' } = JSON.parse(browser.local.get(storageKey('bot', 'draft')) ?? '{}')
  left.push(...draft.split('\n'))
  for (const text of gone)
    expect(
      ![...left, kept].some(each => each.includes(`"${text}"`) || each === text),
      `"${text}" should have been erased`,
    )

  const open = [...platform.streams].map(stream => stream.token)
  expect(
    open.every(each => each === token),
    `streams of other sessions are open: ${open}`,
  )
  // All tabs are visible at the end.
  const wanted = token ? Math.min(alive().length, locks ? 3 : Infinity) : 0
  expect(open.length === wanted, `${open.length} streams are open in ${alive().length} tabs`)

  const conversations = [...new Set([...platform.sessions.values()].map(({ messages }) => messages))]
  const all = conversations.flat()
  for (const { text, label } of written) {
    const times = all.filter(message => message.text === text).length
    const at = conversations.find(messages => messages.some(message => message.text === text))
    const timesThere = (at ?? []).filter(message => message.text === text).length
    // A message that was being sent when an anonymous session was replaced is sent again in the next one. Both may store
    // it.
    const isReplaced = apart || storage.wasEmptied || storage.hasFailed
    const most = isReplaced && label === 'anonymous' ? timesThere <= 1 : times <= 1
    expect(most, `"${text}" is stored ${times} times`)
    const owner = [...platform.sessions.values()].find(({ messages }) => messages === at)?.contact?.id
    if (at && label !== 'held') expect((owner ?? 'anonymous') === label, `"${text}" is stored for ${owner}`)
  }
  const { epoch } = browser.identity()
  for (const [text, keptIn] of simulation.kept) {
    // Storage that can't be read counts as cleared, which logs a contact out.
    if (storage.wasDenied) break
    // Another epoch may have been current for long by then. The record of this one looks as if it were from before storage
    // was cleared, so it is erased: it could belong to another person.
    if (apart && simulation.shownLate.has(keptIn)) continue
    if (apart && simulation.isErasedOnPurpose(text, keptIn)) continue
    const isThere = all.some(message => message.text === text) || kept.includes(`"${text}"`)
    expect(keptIn !== epoch || isThere, `"${text}" was in the database and is lost`)
  }
  return found
}

const same = (one: readonly string[], other: readonly string[]) => JSON.stringify(one) === JSON.stringify(other)
