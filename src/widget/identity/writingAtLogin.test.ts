import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { ada, adaToken, createAcme, graceToken, outcome, shown, type Tab } from '../testing/fixtures.ts'

const words = { text: 'Hello', prefill: 'Half a' }
const draftOf = ({ core }: Tab) => core.models.draft.text.value
const canWrite = ({ core }: Tab) => core.models.signIn.canWrite.value

/** Another tab has begun a login of Ada's that the platform has still to answer. */
async function loginInOtherTab() {
  const acme = createAcme()
  const { browser, platform } = acme
  const [tab, other] = [browser.openTab(), browser.openTab()]
  await settle()
  let answer = (_?: Response) => {}
  const held = new Promise<Response | undefined>(resolve => {
    answer = resolve
  })
  const { fetch } = platform
  platform.intercept = (_, path, init) => {
    if (path !== '/session/retrieve') return undefined
    return held.then(response => {
      platform.intercept = () => undefined
      return response ?? fetch(`https://chat.example/widget${path}`, init)
    })
  }
  const login = outcome(other.core.login(adaToken))
  await browser.clock.advance(1000)
  return { ...acme, tab, other, login, answer: (response?: Response) => answer(response) }
}

describe('while a login is under way', () => {
  it('nobody can write, in any tab, until it has ended', async () => {
    const { browser, tab, other, login, answer } = await loginInOtherTab()
    expect([tab, other].map(canWrite)).toEqual([false, false])
    answer()
    await login
    await browser.clock.advance(1000)
    expect([tab, other].map(canWrite)).toEqual([true, true])
  })

  it.each(['this tab', 'another tab'])('in %s, what the page says waits and is the contact’s', async where => {
    const { browser, said, tab, other, login, answer } = await loginInOtherTab()
    const speaking = where === 'this tab' ? other : tab
    speaking.core.models.message(words)
    expect([shown(speaking), draftOf(speaking)]).toEqual([[], ''])
    answer()
    expect(await login).toBe(ada.name)
    await browser.clock.advance(5000)
    expect([speaking.core.contact(), draftOf(speaking)]).toEqual([ada, 'Half a'])
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada', 'Hello'])
  })

  it('what the page says is sent anonymously if its login fails', async () => {
    const { browser, other, login, answer } = await loginInOtherTab()
    other.core.models.message(words)
    answer(problem(403, 'forbidden'))
    expect(await login).toBe('token_invalid')
    await browser.clock.advance(5000)
    expect([other.core.state(), shown(other), draftOf(other)]).toEqual(['anonymous', ['Hello'], 'Half a'])
  })

  it.each(['login', 'logout'])('what the page says is dropped by a later %s', async how => {
    const { browser, said, other, login, answer } = await loginInOtherTab()
    other.core.models.message(words)
    const later = how === 'login' ? other.core.login(graceToken) : other.core.logout()
    answer()
    await later
    expect(await login).toBe('superseded')
    await browser.clock.advance(5000)
    expect([shown(other), draftOf(other)]).toEqual([how === 'login' ? ['Dear Grace'] : [], ''])
    expect([...said(adaToken), ...said(graceToken)].map(({ text }) => text)).toEqual(['Dear Ada', 'Dear Grace'])
  })
})
