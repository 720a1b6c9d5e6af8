import { signal } from '@preact/signals'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/preact'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DeskSession } from '../../contract/desk.ts'
import { ApiError } from '../ApiError.ts'
import { DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { createKeys } from '../keys.ts'
import { createSavedReplies } from '../savedReplies/savedReplies.ts'
import { Conversation } from './Conversation.tsx'
import { createConversations } from './conversations.ts'
import { createFakeDesk, message, nora, note, olga } from './testing/fakeDesk.ts'

beforeEach(() => {
  // happy-dom lays nothing out.
  const observer = class {
    observe() {}
    disconnect() {}
  }
  vi.stubGlobal('ResizeObserver', observer)
  vi.stubGlobal('IntersectionObserver', observer)
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const savedReply = (id: string, title: string, text: string) => ({ id, title, text, isShared: true, updatedAt: '' })
const saved = [
  savedReply('1', 'Greeting', 'Hello {{name}}'),
  savedReply('2', 'Refund', 'Dear {{name}}, your order {{order}} is at {{email|home}}.'),
]

async function setUp(fake = createFakeDesk()) {
  const conversations = createConversations({ ...fake.deps, api: fake.api })
  const keys = createKeys()
  const isHere = signal(true)
  const bot = { id: 'b1', name: 'Acme', attachments: true, hasResponder: true }
  const desk = {
    conversations,
    savedReplies: createSavedReplies({
      ...fake.api,
      get: (async () => ({ data: saved })) as never,
    }),
    keys,
    strings: en,
    format: createFormat('en', en),
    now: { value: Date.now() },
    presence: { isHere },
    inbox: { hrefOf: () => '/desk/waiting', openNext: vi.fn() },
    current: { member: olga, bots: [bot] } as unknown as DeskSession,
  } as unknown as Desk
  keys.start()
  conversations.show('c1')
  const show = () =>
    render(
      <DeskContext.Provider value={desk}>
        <Conversation id="c1" />
      </DeskContext.Provider>,
    )
  show()
  await screen.findByRole('log')
  const field = () => screen.getByRole('textbox')
  const press = (key: string, more = {}) => fireEvent.keyDown(field(), { key, ...more })
  return { fake, desk, field, press, show, isHere }
}

describe('Conversation', () => {
  test('shows what a visitor writes as text, and links that open elsewhere without access to the desk', async () => {
    const html = '<img src=x onerror=alert(1)> https://evil.example/?a=1'
    await setUp(
      createFakeDesk([message(1, 'visitor', html), message(2, 'bot', '**Bold** <b>not</b>', { format: 'markdown' })]),
    )
    const log = screen.getByRole('log')
    expect(log.textContent).toContain(html)
    expect(log.querySelector('img, b')).toBeNull()
    expect(log.querySelector('strong')?.textContent).toBe('Bold')
    const link = within(log).getByRole('link')
    expect([link.getAttribute('rel'), link.getAttribute('target')]).toEqual(['noopener noreferrer', '_blank'])
  })

  test('shows sources with https addresses alone', async () => {
    const sources = [
      { title: 'Good', url: 'https://shop.example/' },
      { title: 'Bad', url: 'javascript:alert(1)' },
    ]
    await setUp(createFakeDesk([message(1, 'bot', 'Answer', { sources })]))
    expect(screen.getAllByRole('link').map(({ textContent }) => textContent)).toContain('Good')
    expect(screen.queryByText('Bad')).toBeNull()
  })

  test('saves other files than pictures, under their name', async () => {
    const attachments = [{ id: 'a1', type: 'text/plain' as const, size: 3, name: 'log.txt' }]
    await setUp(createFakeDesk([message(1, 'visitor', '', { attachments })]))
    const link = screen.getByRole('link', { name: /^Save log.txt/ })
    expect(link.getAttribute('download')).toBe('log.txt')
    expect(link.getAttribute('href')).toBe('/desk/api/conversations/c1/attachments/a1?member=m1')
  })

  test('says of a note that only the team sees it', async () => {
    const fake = createFakeDesk()
    fake.notes.push(note(1, 2, 'Careful'))
    await setUp(fake)
    expect(screen.getByRole('article', { name: 'Note by Nora' }).textContent).toContain('Only your team sees this')
  })

  test('takes over with Mod+Enter while nothing is written, and else sends', async () => {
    const { fake, field, press } = await setUp()
    press('Enter', { ctrlKey: true })
    await vi.waitFor(() => expect(fake.calls('/claim')).toEqual([{ from: null }]))
    fireEvent.input(field(), { target: { value: 'Hello' } })
    press('Enter', { ctrlKey: true })
    await vi.waitFor(() => expect(fake.calls('/messages')).toMatchObject([{ text: 'Hello' }]))
    expect(fake.calls('/claim')).toHaveLength(1)
  })

  test('never takes a conversation from another member by a key', async () => {
    const fake = createFakeDesk()
    fake.update({ assignee: nora, state: 'open' })
    const { press } = await setUp(fake)
    press('Enter', { ctrlKey: true })
    for (const key of ['a', 'e']) fireEvent.keyDown(document.body, { key })
    expect([...fake.calls('/claim'), ...fake.calls('/close')]).toEqual([])
    expect(screen.getByText('Nora is answering here.')).toBeTruthy()
  })

  test('removes a message after a confirmation alone', async () => {
    const { fake } = await setUp()
    const paths = () => fake.calls('/message-1').length
    const ask = () => fireEvent.click(screen.getAllByLabelText('Remove this message')[0] as Element)
    ask()
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
    expect(paths()).toBe(0)
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    ask()
    fireEvent.click(await screen.findByRole('button', { name: 'Remove' }))
    await vi.waitFor(() => expect(paths()).toBe(1))
  })

  test('closes the drawer with the person by Escape', async () => {
    await setUp()
    const toggle = screen.getByRole('button', { name: 'About this person' })
    fireEvent.click(toggle)
    expect(toggle.getAttribute('aria-expanded')).toBe('true')
    expect(fireEvent.keyDown(document.body, { key: 'Escape' })).toBe(false)
    await vi.waitFor(() => expect(toggle.getAttribute('aria-expanded')).toBe('false'))
  })

  test('does not put the focus into the field when it is shown again', async () => {
    const { desk, field, show } = await setUp()
    fireEvent.keyDown(document.body, { key: 'r' })
    await vi.waitFor(() => expect(document.activeElement).toBe(field()))
    cleanup()
    document.body.focus()
    expect(desk.conversations.current.value?.id).toBe('c1')
    show()
    await screen.findByRole('log')
    expect(document.activeElement).not.toBe(field())
    fireEvent.keyDown(document.body, { key: 'r' })
    await vi.waitFor(() => expect(document.activeElement).toBe(field()))
  })

  test('is seen when the member is back, not while the member is away', async () => {
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(report: (entries: object[]) => void) {
          Object.assign(this, { observe: () => report([{ isIntersecting: true }]), disconnect() {} })
        }
      },
    )
    const { fake, isHere } = await setUp()
    const write = async (seq: number) => {
      fake.add(message(seq, 'visitor', `Message ${seq}`), { unseen: seq - 2 })
      await screen.findByText(`Message ${seq}`)
      await new Promise(requestAnimationFrame)
    }
    await write(3)
    await vi.waitFor(() => expect(fake.calls('/seen')).toContainEqual({ seq: 3 }))
    isHere.value = false
    await write(4)
    expect(fake.calls('/seen')).not.toContainEqual({ seq: 4 })
    isHere.value = true
    await vi.waitFor(() => expect(fake.calls('/seen')).toContainEqual({ seq: 4 }))
  })

  test('opens the next one after closing by key, and stays after closing by the button', async () => {
    const { desk } = await setUp()
    fireEvent.keyDown(document.body, { key: 'e' })
    await vi.waitFor(() => expect(desk.inbox.openNext).toHaveBeenCalledOnce())
    cleanup()
    const { desk: other } = await setUp()
    fireEvent.click(screen.getByTitle('Close (E)'))
    await screen.findByRole('button', { name: 'Reopen' })
    expect(other.inbox.openNext).not.toHaveBeenCalled()
  })

  test('with a blocked guest says so, and can be neither answered nor reopened', async () => {
    const fake = createFakeDesk()
    fake.person = { ...fake.person, isBlocked: true }
    fake.conversation = { ...fake.conversation, state: 'closed' }
    const { field, press } = await setUp(fake)
    expect(document.querySelector('.banner')?.textContent).toContain('can neither read nor write')
    expect(screen.queryByRole('button', { name: 'Reopen' })).toBeNull()
    fireEvent.input(field(), { target: { value: 'Sorry!' } })
    press('Enter', { ctrlKey: true })
    fireEvent.keyDown(document.body, { key: 'e' })
    expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
    expect([fake.calls('/messages'), fake.calls('/reopen')]).toEqual([[], []])
  })

  test('keeps what is not sent when the member looks at another conversation, and shows it again', async () => {
    const { fake, desk, field } = await setUp()
    const hold = fake.hold('/draft')
    fireEvent.input(field(), { target: { value: 'Half a sen' } })
    const left = desk.conversations.current.value
    desk.conversations.show('c2')
    await vi.waitFor(() => expect(fake.calls('/draft')).toEqual([{ reply: 'Half a sen', knownSeq: 2 }]))
    desk.conversations.show('c1')
    expect(desk.conversations.current.value).toBe(left)
    desk.conversations.show('c2')
    hold.release()
    await vi.waitFor(() => {
      desk.conversations.show('c1')
      const current = desk.conversations.current.value
      desk.conversations.show('c2')
      expect(current).not.toBe(left)
    })
  })

  test('tells that the member looks at it as soon as it is loaded, and not if that has failed', async () => {
    const fake = createFakeDesk()
    const conversations = createConversations({ ...fake.deps, api: fake.api })
    const stop = conversations.start()
    fake.failures.push({ end: '/c1', error: new ApiError(0, 'unreachable', '') })
    conversations.show('c1')
    const state = () => conversations.current.value?.state.value.kind
    await vi.waitFor(() => expect(state()).toBe('failed'))
    await conversations.current.value?.load()
    const page = 'page'
    expect(fake.calls('/viewing')).toEqual([null, null, 'c1'].map(conversationId => ({ page, conversationId })))
    stop()
  })
})

describe('saved replies', () => {
  /** Writes at the end of the field, as a keyboard does. */
  const type = (field: HTMLElement, text: string) => {
    const area = field as HTMLTextAreaElement
    fireEvent.input(area, { target: { value: area.value + text } })
  }
  const options = () => screen.queryAllByRole('option').map(option => option.textContent)

  test('are offered after a slash that begins a word, and inserted there with their variables', async () => {
    const { field, press } = await setUp()
    type(field(), 'and/')
    expect(options()).toEqual([])
    type(field(), ' /')
    await screen.findByRole('listbox', { name: 'Saved replies' })
    expect(options()).toHaveLength(2)
    type(field(), 'GREE')
    expect(options()).toEqual(['GreetingHello {{name}}'])
    expect(field().getAttribute('aria-activedescendant')).toBe(screen.getByRole('option', { selected: true }).id)
    press('Enter')
    expect((field() as HTMLTextAreaElement).value).toBe('and/ Hello Mia')
    expect(options()).toEqual([])
  })

  test('are chosen with arrows, and left with Escape', async () => {
    const { field, press } = await setUp()
    type(field(), '/')
    await screen.findByRole('listbox')
    press('ArrowUp')
    expect(screen.getByRole('option', { selected: true }).textContent).toContain('Refund')
    // It begins a line.
    press('Enter', { shiftKey: true })
    expect(options()).not.toEqual([])
    press('Escape')
    expect(options()).toEqual([])
    expect((field() as HTMLTextAreaElement).value).toBe('/')
  })

  test('are not sent while a variable has no value, which is selected', async () => {
    const { fake, field, press } = await setUp()
    type(field(), '/refund')
    await screen.findByRole('listbox')
    press('Enter')
    const area = field() as HTMLTextAreaElement
    expect(area.value).toBe('Dear Mia, your order {{order}} is at home.')
    expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe('{{order}}')
    const warning = () => screen.queryByText(/^Nothing is known for \{\{order\}\}/)
    expect(warning()).not.toBeNull()
    expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
    press('Enter', { ctrlKey: true })
    expect(fake.calls('/messages')).toEqual([])
    fireEvent.input(area, { target: { value: area.value.replace('{{order}}', '81') } })
    expect(warning()).toBeNull()
    expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', false)
  })
})
