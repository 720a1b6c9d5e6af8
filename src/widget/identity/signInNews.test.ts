import { expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, authOf, contactToken, grace, shown, type Tab } from '../testing/fixtures.ts'
import { createSiteWithAda, isHidden } from '../testing/siteFixtures.ts'

const newsOf = ({ events }: Tab) => events.filter(([name]) => name === 'message' || name === 'unread')

/** A page load of Ada's that has received a message, and that the site has still to answer. */
async function reloadUnanswered() {
  const setUp = await createSiteWithAda()
  const { platform, site, said, openTab, tab: former } = setUp
  former.core.destroy()
  const answer = site.holdAnswer()
  const tab = openTab()
  await settle()
  platform.say(said(adaToken), { text: 'News' })
  await settle()
  return { ...setUp, tab, answer }
}

it('the page hears of messages and their number once the site has said that the contact is still signed in', async () => {
  const { tab, answer, respond } = await reloadUnanswered()
  expect(newsOf(tab)).toEqual([])
  answer(respond(204))
  await settle()
  expect(newsOf(tab)).toEqual([
    ['message', expect.objectContaining({ text: 'News' })],
    ['unread', { count: 2 }],
  ])
})

it('the page hears of a message though it has to be loaded again after the site has confirmed the contact', async () => {
  const { tab, answer, respond, platform, site, browser, said } = await reloadUnanswered()
  const token = contactToken('c')
  platform.addContact(token, ada)
  const failing = ['/events/stream', '/messages/list']
  platform.intercept = (_, path) => (failing.includes(path) ? respond(503) : undefined)
  for (const stream of [...platform.streams]) stream.close()
  platform.streams.clear()
  // The stored messages lack a change, so they are not shown.
  platform.change(said(adaToken), 1, { text: 'Dear Ada Lovelace' })
  void tab.core.login(token)
  site.answer = undefined
  answer(respond(204))
  await browser.clock.advance(1000)
  expect([tab.core.contact(), isHidden(tab), shown(tab)]).toEqual([ada, false, []])
  expect(newsOf(tab).filter(([name]) => name === 'message')).toEqual([])
  // While another session of the contact begins, it is not known whose it is.
  const nextToken = contactToken('d')
  platform.addContact(nextToken, ada)
  await browser.openTab({ start: false }).core.login(nextToken)
  await settle()
  expect(tab.core.models.session.token()).toBe(nextToken)
  platform.intercept = () => undefined
  await browser.clock.advance(60_000)
  expect(newsOf(tab)).toContainEqual(['message', expect.objectContaining({ text: 'News' })])
})

it('the page never hears of the messages of a contact who is no longer signed in', async () => {
  const { tab, answer, respond, site, browser } = await reloadUnanswered()
  site.signedIn = 'grace'
  site.answer = undefined
  answer(respond(503))
  await browser.clock.advance(60_000)
  expect(tab.core.contact()).toEqual(grace)
  expect(newsOf(tab).filter(([name]) => name === 'message')).toEqual([])
})

it('the page hears of a message in a tab that has been hidden for a minute only when the site has confirmed the contact', async () => {
  const { tab, site, respond, platform, said, browser } = await createSiteWithAda()
  tab.core.setOpen(false)
  tab.setHidden(true)
  await browser.clock.advance(60_000)
  tab.events.length = 0
  platform.say(said(adaToken), { text: 'News' })
  await settle()
  // The number of unread messages in the title is what a hidden tab is for.
  expect(newsOf(tab)).toEqual([['unread', { count: 2 }]])
  const answer = site.holdAnswer()
  tab.setHidden(false)
  await settle()
  expect(newsOf(tab).filter(([name]) => name === 'message')).toEqual([])
  answer(respond(204))
  await settle()
  expect(newsOf(tab)).toContainEqual(['message', expect.objectContaining({ text: 'News' })])
})

it('the page never hears of a message that is removed before the site has confirmed the contact', async () => {
  const { tab, answer, respond, platform, said } = await reloadUnanswered()
  platform.remove(said(adaToken), said(adaToken).length)
  await settle()
  answer(respond(204))
  await settle()
  expect(newsOf(tab)).toEqual([['unread', { count: 1 }]])
})

it('the page never hears of a stored contact whom the site has not confirmed', async () => {
  const { tab, answer, respond } = await reloadUnanswered()
  answer(respond(401))
  await settle()
  const events = authOf(tab)
  expect(events.map(([state]) => state)).not.toContain('identified')
  expect(events.at(-1)?.[0]).toBe('anonymous')
})
