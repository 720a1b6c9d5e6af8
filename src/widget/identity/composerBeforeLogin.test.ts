import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { filesOf, loadModel, textFile } from '../testing/fileFixtures.ts'
import { ada, adaToken } from '../testing/fixtures.ts'
import { createSite } from '../testing/siteFixtures.ts'

/** An anonymous chat in whose composer something may be before the site is asked. The site answers that Ada is signed in. */
async function openAnonymously() {
  const { site, respond, openTab, said, browser } = createSite()
  const tab = openTab()
  tab.core.setOpen(true)
  await settle()
  const files = await loadModel(tab)
  const { draft, conversation } = tab.core.models
  const press = () => conversation.outbox.send(draft.text.value, { finishesDraft: true, files: files.takeDraft() })
  const answer = site.holdAnswer()
  const answerAda = async () => {
    site.answer = undefined
    answer(respond(200, JSON.stringify({ data: { token: adaToken } })))
    await browser.clock.advance(60_000)
    expect(tab.core.contact()).toEqual(ada)
  }
  return { tab, browser, files, draft, press, answerAda, saidByAda: () => said(adaToken) }
}

describe('what was in the composer before refresh() does not go to the contact whom the site names', () => {
  it('if it is a draft that is sent before the site answers', async () => {
    const { tab, draft, press, answerAda, saidByAda } = await openAnonymously()
    draft.setText('Somebody else’s')
    void tab.core.models.refreshSignIn()
    await settle()
    draft.setText('Somebody else’s, edited')
    press()
    await answerAda()
    expect(saidByAda().map(({ text }) => text)).toEqual(['Dear Ada'])
  })

  it('if it is a file that is sent before the site answers', async () => {
    const { tab, draft, files, press, answerAda, saidByAda } = await openAnonymously()
    files.add([textFile('passport.txt')])
    void tab.core.models.refreshSignIn()
    await settle()
    files.add([textFile('order.txt')])
    draft.setText('See these')
    press()
    await answerAda()
    expect([saidByAda().map(({ text }) => text), filesOf(saidByAda())]).toEqual([['Dear Ada'], []])
  })

  it('if it is a file that stays in the composer', async () => {
    const { tab, files, answerAda, saidByAda, press } = await openAnonymously()
    files.add([textFile('passport.txt')])
    void tab.core.models.refreshSignIn()
    await settle()
    files.add([textFile('order.txt')])
    await answerAda()
    expect(files.draft.value.map(({ name }) => name)).toEqual(['order.txt'])
    press()
    await settle()
    expect(filesOf(saidByAda())).toEqual(['order.txt'])
  })
})

it('a draft that is begun after refresh() does not go to the contact whom the site names if another tab edits it', async () => {
  const { tab, browser, draft, answerAda } = await openAnonymously()
  const other = browser.openTab()
  await settle()
  void tab.core.models.refreshSignIn()
  await settle()
  draft.setText('See this')
  await browser.clock.advance(300)
  other.core.models.draft.setText('See this, and that')
  await browser.clock.advance(300)
  expect(draft.text.value).toBe('See this, and that')
  await answerAda()
  expect(draft.text.value).toBe('')
})

it('what is begun and sent after refresh() goes to the contact whom the site names, with its files', async () => {
  const { tab, draft, files, press, answerAda, saidByAda } = await openAnonymously()
  void tab.core.models.refreshSignIn()
  await settle()
  files.add([textFile('order.txt')])
  draft.setText('See this')
  press()
  await answerAda()
  expect([saidByAda().map(({ text }) => text), filesOf(saidByAda())]).toEqual([['Dear Ada', 'See this'], ['order.txt']])
})
