import { act, waitFor } from '@testing-library/preact'
import { expect, test, vi } from 'vitest'
import { mount, open, undos, write } from '../testing/testPanel.ts'
import { storedMessage } from '../testing/uiFixtures.ts'

type Opened = Awaited<ReturnType<typeof open>>

/** Opens Ada's chat. */
async function openAsAda(isInline = false) {
  const opened = await open(({ session, conversation }) => {
    session.status.value = 'identified'
    session.contact.value = { id: 'c1', name: 'Ada Lovelace' }
    conversation.messageStore.messages.value = [storedMessage(1, 'bot', 'Dear Ada')]
  }, isInline)
  return { ...opened, leaving: () => opened.root.querySelector<HTMLElement>('.leaving') }
}

const close = ({ panel }: Pick<Opened, 'panel'>) =>
  act(() => {
    panel.close()
  })

test('a closed panel moves out as a picture: unusable, hidden from screen readers, and soon gone', async () => {
  const opened = await openAsAda()
  const { root, launcher, view, composer, log, leaving } = opened
  await waitFor(() => expect(root.activeElement).toBe(composer()))
  write(composer(), 'half a thou')
  log().scrollTop = 40
  const transcript = log()
  await close(opened)
  expect(leaving()?.textContent).toContain('Dear Ada')
  expect([leaving()?.inert, leaving()?.getAttribute('aria-hidden')]).toEqual([true, 'true'])
  expect([view.queryByRole('dialog'), view.queryByRole('textbox')]).toEqual([null, null])
  expect(transcript.scrollTop).toBe(40)
  expect(root.activeElement).toBe(launcher)
  await waitFor(() => expect(leaving()).toBe(null))
  expect(root.textContent).not.toContain('Ada')
})

test.each<[string, (opened: Opened) => void]>([
  ['the contact logs out', ({ session }) => (session.scopeKey.value = 'of another')],
  ['the site has to confirm the contact', ({ signIn }) => (signIn.isViewHidden.value = true)],
  ['the chat is opened again', ({ panel }) => (panel.isOpen.value = true)],
])('the picture of a closed panel is removed at once when %s', async (_, change) => {
  const opened = await openAsAda()
  await close(opened)
  expect(opened.leaving()).not.toBe(null)
  // Without `act()`, which would wait for Preact.
  change(opened)
  expect(opened.leaving()).toBe(null)
})

test.each(['before it is closed', 'right after it was closed'])(
  'no picture of the panel stays when the session changes %s, before that is rendered',
  async when => {
    const { leaving, layer, panel, session, view } = await openAsAda()
    const seen: unknown[] = []
    const observer = new MutationObserver(() => seen.push(leaving()))
    observer.observe(layer, { childList: true, subtree: true })
    await act(() => {
      if (when === 'right after it was closed') panel.close()
      session.scopeKey.value = 'of another'
      panel.close()
    })
    expect(view.queryByRole('dialog')).toBe(null)
    await new Promise(resolve => setTimeout(resolve))
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter(Boolean)).toEqual([])
  },
)

test('nothing moves out in inline mode, with reduced motion, or when the widget is destroyed', async () => {
  const inline = await openAsAda(true)
  await close(inline)
  expect(inline.leaving()).toBe(null)
  const destroyed = await openAsAda()
  act(() => destroyed.undo())
  expect(destroyed.leaving()).toBe(null)
  const calm = await openAsAda()
  const media = vi
    .spyOn(window, 'matchMedia')
    .mockImplementation(query => Object.assign(new EventTarget(), { matches: /reduce/.test(query) }) as MediaQueryList)
  undos.push(() => media.mockRestore())
  await close(calm)
  expect(calm.leaving()).toBe(null)
})

test('nothing moves out before the transcript has come', () => {
  const { root, panel } = mount()
  act(() => {
    panel.close()
  })
  expect(root.querySelector('.panel')).toBe(null)
})
