import { act } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { storedMessage } from '../testing/uiFixtures.ts'

/** Every text that is reached from what has been rendered into an element. */
function textsHeldBy(element: HTMLElement): string {
  const reached = new Set<unknown>(Object.values(element))
  for (const each of reached) {
    const isOfPage = each instanceof Node || each instanceof Window
    if (typeof each === 'object' && each && !isOfPage) for (const value of Object.values(each)) reached.add(value)
  }
  return [...reached].filter(each => typeof each === 'string').join('\n')
}

test.each(['open', 'closed'])('keeps nothing of a session that has ended, the panel being %s', async as => {
  const { root, session, conversation, panel, log } = await open(({ session, conversation }) => {
    session.contact.value = { id: 'c1', name: 'Ada Cerulean' }
    conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Dyed in vermilion')]
  })
  const layer = root.querySelector('.layer') as HTMLElement
  const container = layer.lastElementChild as HTMLElement
  act(() => {
    session.scopeKey.value = 'later'
  })
  expect(log().textContent).toContain('Dyed in vermilion')
  expect(textsHeldBy(container)).toMatch(/Ada Cerulean.*Dyed in vermilion|Dyed in vermilion.*Ada Cerulean/s)
  act(() => {
    if (as === 'closed') panel.isOpen.value = false
  })
  act(() => {
    session.scopeKey.value = 'of another'
    session.contact.value = null
    conversation.messageStore.messages.value = []
  })
  expect(textsHeldBy(container)).not.toMatch(/Cerulean|vermilion/)
})
