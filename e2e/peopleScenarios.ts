import { botProfile, problem, reply } from '../src/widget/testing/fakePlatform.ts'
import { expect } from './fakeSite.ts'
import { clickButton, type ScenarioContext, startConversation } from './scenarioContext.ts'

/** Scenarios in which people of the team or the bot answer. */
export const peopleScenarios: Record<string, (context: ScenarioContext) => Promise<void>> = {
  async 'an answer is stopped and rated, and a message is removed'(context) {
    const { fakeSite, chat, strings, onState } = context
    const { platform } = fakeSite
    platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, ratings: true }) : undefined)
    await chat.open()
    await startConversation(context)
    const { messages } = fakeSite.visitor()
    const data = { id: 'answer', offset: 0, text: 'First, open the ' }
    platform.emit(messages, { event: 'message.delta', data })
    await expect(chat.panel.getByRole('button', { name: strings.stop })).toBeVisible()
    await onState('stoppable')
    await clickButton(context, strings.stop)
    platform.say(messages, { id: 'answer', text: 'First, open the ' })
    await clickButton(context, strings.helpful)
    await onState('rated')
    platform.remove(messages, 1)
    await expect(chat.transcript).toContainText(strings.removed)
    await onState('removed')
  },

  async 'a message comes while the chat is closed'(context) {
    const { page, fakeSite, chat, strings, onState } = context
    await chat.open()
    await startConversation(context)
    await chat.composer.press('Escape')
    const { messages } = fakeSite.visitor()
    const sender = { name: 'Nora', avatar: '/avatar.svg' }
    const text = 'Your **refund** is on its way. It takes up to three days until your bank shows it, sometimes four.'
    fakeSite.platform.say(messages, { text, format: 'markdown', author: 'agent', sender })
    const preview = page.locator('[part~="preview"]')
    await expect(preview).toContainText('Your refund is on its way.')
    await onState('preview')
    await preview.getByRole('button', { name: strings.dismiss }).click()
    await expect(preview).toBeHidden()
  },

  async 'a visitor asks for a person, who joins and hands back'(context) {
    const { fakeSite, chat, strings, onState } = context
    const { platform } = fakeSite
    platform.intercept = (_, path) => (path === '' ? reply(200, { ...botProfile, handover: true }) : undefined)
    await chat.open()
    await startConversation(context)
    const { messages } = fakeSite.visitor()
    platform.say(messages, { text: 'I don’t know that. Would you like to talk to a person?' })
    await clickButton(context, strings.menu)
    await expect(chat.panel.getByRole('menuitem', { name: strings.talkToPerson })).toBeVisible()
    await onState('menu-person')
    const held = Promise.withResolvers<Response>()
    const profile = platform.intercept
    platform.intercept = (method, path, init) => (path === '/handover' ? held.promise : profile(method, path, init))
    await chat.panel.getByRole('menuitem', { name: strings.talkToPerson }).click()
    await expect(chat.transcript).toContainText(`${strings.talkToPerson} · ${strings.sending}`)
    await onState('handover-sending')
    platform.intercept = profile
    held.resolve(problem(503, 'unavailable'))
    await expect(chat.transcript).toContainText(strings.handoverRequested)
    await onState('handover-requested')
    const sender = { name: 'Nora' }
    platform.say(messages, { text: 'Hello, I am looking into it.', author: 'agent', sender })
    platform.say(messages, { text: 'It arrives on Tuesday.', author: 'agent', sender })
    await expect(chat.transcript.getByText(strings.agentJoined.replace('{name}', 'Nora'))).toHaveCount(1)
    await onState('agent-joined')
    platform.say(messages, { text: '', author: 'system', event: 'handed_back' })
    await expect(chat.transcript).toContainText(strings.handedBack)
    await onState('handed-back')
    platform.say(messages, { text: '', author: 'system', event: 'handover_requested' })
    platform.say(messages, { text: '', author: 'system', event: 'handover_expired' })
    await expect(chat.transcript).toContainText(strings.handoverExpired)
    await onState('handover-expired')
  },

  async 'a visitor asks for a person while the team is away'(context) {
    const { fakeSite, chat, strings, onState } = context
    const { platform } = fakeSite
    const [from, until] = [24, 32].map(hours => new Date(Date.now() + hours * 3_600_000).toISOString()) as [
      string,
      string,
    ]
    const profile = { ...botProfile, handover: true, openings: [{ from, until }] }
    platform.intercept = (_, path) => (path === '' ? reply(200, profile) : undefined)
    await chat.open()
    const [beforeDay = ''] = strings.teamBack.split('{')
    await expect(chat.panel.locator('.header')).toContainText(beforeDay)
    await onState('team-away')
    await startConversation(context)
    const { messages } = fakeSite.visitor()
    platform.say(messages, { text: '', author: 'system', event: 'handover_requested' })
    await expect(chat.transcript).toContainText(beforeDay)
    platform.say(messages, { text: 'Until then, I am glad to help.' })
    await onState('handover-away')
  },
}
