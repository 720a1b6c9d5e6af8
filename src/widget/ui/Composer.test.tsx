import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/preact'
import { afterEach, describe, expect, test } from 'vitest'
import { createFixture } from '../testing/uiFixtures.ts'
import { Composer } from './Composer.tsx'
import { WidgetContext } from './WidgetContext.ts'

afterEach(cleanup)

function setUp() {
  const models = createFixture()
  render(
    <WidgetContext.Provider value={models}>
      <Composer />
    </WidgetContext.Provider>,
  )
  const field = screen.getByRole('textbox') as HTMLTextAreaElement
  const write = (text: string) => fireEvent.input(field, { target: { value: text } })
  return { ...models, field, write }
}

describe('Composer', () => {
  test('sends with Enter, trimmed, and clears the draft', () => {
    const { field, write, calls, draft } = setUp()
    write('  Hello \n')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls).toEqual([['send', 'Hello', { finishesDraft: true }]])
    expect(draft.text.value).toBe('')
  })

  test('sends with its button, which is enabled only if there is text', async () => {
    const { write, calls } = setUp()
    const button = screen.getByRole('button', { name: 'Send' }) as HTMLButtonElement
    expect(button.disabled).toBe(true)
    write('Hello')
    await expect.poll(() => button.disabled).toBe(false)
    fireEvent.click(button)
    expect(calls).toEqual([['send', 'Hello', { finishesDraft: true }]])
  })

  test('sends nothing with Shift+Enter, a repeated Enter, during IME composition, or without text', () => {
    const { field, write, calls } = setUp()
    fireEvent.keyDown(field, { key: 'Enter' })
    write('にほん')
    fireEvent.keyDown(field, { key: 'Enter', shiftKey: true })
    // Auto-repeat of the Enter that opened the panel. It must not insert a line break either.
    expect(fireEvent.keyDown(field, { key: 'Enter', repeat: true })).toBe(false)
    fireEvent.keyDown(field, { key: 'Enter', isComposing: true })
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 })
    expect(calls).toEqual([])
  })

  test('shows the remaining characters from 3800 code points on and sends no more than 4000', async () => {
    const { field, write, calls } = setUp()
    write('🙂'.repeat(3799))
    expect(screen.queryByText(/characters left/i)).toBeNull()
    write('🙂'.repeat(3800))
    await screen.findByText('Characters left: 200')
    write('x'.repeat(4001))
    await screen.findByText('Characters left: -1')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls).toEqual([])
    expect(field.getAttribute('aria-invalid')).toBe('true')
  })

  test('limits the text to what the field can hold without becoming slow, and says so', async () => {
    const { field, write } = setUp()
    expect(field.maxLength).toBe(20_000)
    write('x'.repeat(9_999))
    await screen.findByText('Characters left: -5999')
    expect(screen.queryByText('No more text fits here.')).toBeNull()
    write('x'.repeat(20_000))
    await waitFor(() => expect(screen.getByText('No more text fits here.')).toBeTruthy())
  })
})
