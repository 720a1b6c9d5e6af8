import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/preact'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createFixture } from '../testing/uiFixtures.ts'
import { Composer } from './Composer.tsx'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { createLazyParts } from './lazyParts.ts'
import { WidgetContext } from './WidgetContext.ts'

afterEach(cleanup)

async function setUp() {
  const models = createFixture()
  const root = document.createElement('div').attachShadow({ mode: 'open' })
  const lazyParts = createLazyParts(root, document.body.style, models, new AbortController().signal)
  lazyParts.transcript.load()
  await expect.poll(() => lazyParts.transcript.part.value).not.toBeNull()
  render(
    <WidgetContext.Provider value={models}>
      <LazyPartsContext.Provider value={lazyParts}>
        <Composer />
      </LazyPartsContext.Provider>
    </WidgetContext.Provider>,
  )
  const field = screen.getByRole('textbox') as HTMLTextAreaElement
  const write = (text: string) => fireEvent.input(field, { target: { value: text } })
  const counter = () => document.querySelector('#count')?.textContent
  /** Rendered in a later turn. */
  const showsCounter = (text: string | undefined) => waitFor(() => expect(counter()).toBe(text), { interval: 1 })
  return { ...models, field, write, showsCounter }
}

describe('Composer', () => {
  test('sends with Enter, trimmed, and clears the draft', async () => {
    const { field, write, calls, draft } = await setUp()
    write('  Hello \n')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls).toEqual([['send', 'Hello', { finishesDraft: true }]])
    expect(draft.text.value).toBe('')
  })

  test('keeps the indentation of the first line of pasted code', async () => {
    const { field, write, calls } = await setUp()
    write('\n  if (a) {\n    b()\n  }\n')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls).toEqual([['send', '  if (a) {\n    b()\n  }', { finishesDraft: true }]])
  })

  test('sends with the Enter that a touch keyboard sends while it composes a Latin word, and with no other', async () => {
    const { field, write, calls } = await setUp()
    const press = (text: string, keyCode: number, isCoarse: boolean) => {
      vi.stubGlobal('matchMedia', () => ({ matches: isCoarse }))
      write(text)
      fireEvent.keyDown(field, { key: 'Enter', keyCode, isComposing: true })
      return calls.splice(0).length > 0
    }
    expect(press('Hello', 13, true)).toBe(true)
    expect(press('Hello', 13, false)).toBe(false)
    expect(press('Hello', 229, true)).toBe(false)
    expect(press('こんにちは', 13, true)).toBe(false)
    vi.unstubAllGlobals()
  })

  test('sends with its button, which is enabled only if there is text', async () => {
    const { write, calls } = await setUp()
    const button = screen.getByRole('button', { name: 'Send' }) as HTMLButtonElement
    expect(button.disabled).toBe(true)
    write('Hello')
    await expect.poll(() => button.disabled).toBe(false)
    fireEvent.click(button)
    expect(calls).toEqual([['send', 'Hello', { finishesDraft: true }]])
  })

  test('has a button that stops the reply in place of the one that sends, and keeps what is written', async () => {
    const { field, write, calls, conversation, draft } = await setUp()
    write('And in blue?')
    conversation.reply.isStoppable.value = true
    const stop = await screen.findByRole('button', { name: 'Stop the answer' })
    expect(screen.queryByRole('button', { name: 'Send' })).toBeNull()
    fireEvent.click(stop)
    expect(calls).toEqual([['stopReply']])
    conversation.reply.isStoppable.value = false
    const send = await screen.findByRole('button', { name: 'Send' })
    // This click was meant for the button that was there just before.
    fireEvent.click(send, { detail: 1 })
    expect([calls.length, draft.text.value]).toEqual([1, 'And in blue?'])
    // Enter still sends, also while the bot answers.
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls.at(-1)).toEqual(['send', 'And in blue?', { finishesDraft: true }])
  })

  test('sends nothing with Shift+Enter, a repeated Enter, during IME composition, or without text', async () => {
    const { field, write, calls } = await setUp()
    fireEvent.keyDown(field, { key: 'Enter' })
    write('にほん')
    fireEvent.keyDown(field, { key: 'Enter', shiftKey: true })
    // Auto-repeat of the Enter that opened the panel. It must not insert a line break either.
    expect(fireEvent.keyDown(field, { key: 'Enter', repeat: true })).toBe(false)
    fireEvent.keyDown(field, { key: 'Enter', isComposing: true })
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 })
    write('\u200b \u2060')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls).toEqual([])
  })

  test('shows the remaining characters from 3800 code points on and sends no more than 4000', async () => {
    const { field, write, calls, showsCounter } = await setUp()
    write('🙂'.repeat(3799))
    await showsCounter(undefined)
    write('🙂'.repeat(3800))
    await showsCounter('Characters left: 200')
    expect(field.getAttribute('aria-describedby')).toBe('count')
    write('x'.repeat(4001))
    await showsCounter('Characters left: -1')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls).toEqual([])
    expect(field.getAttribute('aria-invalid')).toBe('true')
  })

  test('says at Enter why a text that is too long is not sent', async () => {
    const { field, write, calls } = await setUp()
    write('x'.repeat(4003))
    await waitFor(() => expect(field.value).toHaveLength(4003))
    expect(screen.queryByRole('alert')).toBeNull()
    fireEvent.keyDown(field, { key: 'Enter' })
    expect((await screen.findByRole('alert')).textContent).toBe('Characters left: -3')
    expect(calls).toEqual([])
    write('Short')
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  })

  test('limits the text so that the field stays fast, and says so', async () => {
    const { field, write, showsCounter } = await setUp()
    expect(field.maxLength).toBe(20_000)
    write('x'.repeat(9_999))
    await showsCounter('Characters left: -5999')
    write('x'.repeat(20_000))
    await showsCounter('Characters left: -16000 No more text fits here.')
  })

  test('announces the remaining characters at a few numbers only, in a region that was there before', async () => {
    const { write, showsCounter } = await setUp()
    const region = screen.getByRole('status')
    expect(region.textContent).toBe('')
    const announced: string[] = []
    const note = () => {
      if (region.textContent) announced.push(region.textContent)
    }
    new MutationObserver(note).observe(region, { childList: true, characterData: true, subtree: true })
    for (let left = 201; left >= -3; left--) {
      write('x'.repeat(4000 - left))
      await showsCounter(left > 200 ? undefined : `Characters left: ${left}`)
    }
    expect(announced).toEqual([200, 100, 50, 10, 0].map(left => `Characters left: ${left}`))
    write('')
    await waitFor(() => expect(region.textContent).toBe(''))
    // After a paste it says how many are left, and not which number has been passed.
    write('x'.repeat(3930))
    await waitFor(() => expect(region.textContent).toBe('Characters left: 70'))
    write('x'.repeat(20_000))
    await waitFor(() => expect(region.textContent).toBe('Characters left: -16000 No more text fits here.'))
  })
})
