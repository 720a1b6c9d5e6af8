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
    const count = () => document.querySelector('.count')?.textContent
    expect(count()).toBe(undefined)
    write('🙂'.repeat(3800))
    await waitFor(() => expect(count()).toBe('Characters left: 200'))
    write('x'.repeat(4001))
    await waitFor(() => expect(count()).toBe('Characters left: -1'))
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(calls).toEqual([])
    expect(field.getAttribute('aria-invalid')).toBe('true')
  })

  test('tells screen readers of few numbers only, and at Enter why nothing is sent', async () => {
    const { field, write, calls } = setUp()
    const told: (string | null | undefined)[] = []
    for (const length of [3700, 3800, 3801, 3899, 3900, 3960, 3995, 4000, 4003]) {
      write('x'.repeat(length))
      await waitFor(() => expect(field.value).toHaveLength(length))
      const status = screen.getAllByRole('status').find(each => each.matches('.aloud'))
      if (status?.textContent !== told.at(-1)) told.push(status?.textContent)
    }
    expect(told).toEqual(['', ...[200, 100, 50, 10, 0].map(left => `Characters left: ${left}`)])
    expect(screen.queryByRole('alert')).toBeNull()
    fireEvent.keyDown(field, { key: 'Enter' })
    expect((await screen.findByRole('alert')).textContent).toBe('Characters left: -3')
    expect(calls).toEqual([])
    const described = document.getElementById(field.getAttribute('aria-describedby') ?? '')
    expect(described?.textContent).toBe('Characters left: -3')
    write('Short')
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
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
