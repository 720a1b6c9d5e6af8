import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/preact'
import { afterEach, describe, expect, test } from 'vitest'
import type { BotSettings, BotUpdate } from '../../contract/deskBots.ts'
import { ApiError } from '../ApiError.ts'
import { DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { BotSettingsForm } from './BotSettingsForm.tsx'

afterEach(cleanup)

const settings = {
  ...{ id: 'b1', name: 'Acme', subtitle: '', avatar: '', accent: '', greeting: 'Hello!\nHow can we help?' },
  ...{ quickReplies: ['Prices'], origins: ['https://shop.example'] },
  ...{ images: false, handover: true, ratings: false, attachments: false, eraseByVisitor: false },
  hours: null,
  ...{ texts: { unknown: 'No idea.' }, responder: 'openai', prompt: 'Be brief.' },
  defaultTexts: { unknown: 'I don’t know.', apology: 'Sorry.' },
} as BotSettings

function setUp(more: Partial<BotSettings> = {}) {
  const sent: BotUpdate[] = []
  let failure: ApiError | undefined
  let asked: ((leave: () => void) => void) | undefined
  const desk = {
    api: {
      async patch(_: string, update: BotUpdate) {
        sent.push(update)
        if (failure) throw failure
        // Another admin has changed the subtitle.
        return { data: { ...settings, subtitle: 'Theirs', ...update } }
      },
    },
    router: {
      confirmLeave(ask: typeof asked) {
        asked = ask
        return () => {
          asked = undefined
        }
      },
    },
    format: createFormat('en', en),
    strings: en,
  } as unknown as Desk
  const { container } = render(
    <DeskContext.Provider value={desk}>
      <BotSettingsForm settings={{ ...settings, ...more }} />
    </DeskContext.Provider>,
  )
  const preview = () => container.querySelector('[inert]')?.shadowRoot?.textContent
  return {
    sent,
    preview,
    fail: (error: ApiError) => {
      failure = error
    },
    ask: (leave: () => void) => asked?.(leave),
    isHeld: () => asked !== undefined,
  }
}
const type = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } })
const save = () => screen.getByRole('button', { name: 'Save' })

describe('the settings of a bot', () => {
  test('are shown in a preview while they are changed, and only what has changed is saved', async () => {
    const { sent, preview } = setUp()
    expect(save()).toHaveProperty('disabled', true)
    expect(preview()).toBe('AAcmeHello!How can we help?Prices')
    type('Name', 'Store')
    type('Quick replies', 'Prices\n\n Returns ')
    type('If its answer fails', 'Oh no.')
    fireEvent.click(screen.getByLabelText('Visitors can rate answers'))
    await waitFor(() => expect(preview()).toBe('SStoreHello!How can we help?PricesReturns'))
    fireEvent.click(save())
    const texts = { unknown: 'No idea.', apology: 'Oh no.' }
    expect(sent).toEqual([{ name: 'Store', quickReplies: ['Prices', 'Returns'], texts, ratings: true }])
    await screen.findByText(en.bots.saved)
    expect(save()).toHaveProperty('disabled', true)
    expect(screen.getByLabelText('Subtitle')).toHaveProperty('value', 'Theirs')
  })

  test('are saved by one request at a time, and what is written meanwhile is kept', async () => {
    const { sent } = setUp()
    type('Name', 'Store')
    fireEvent.click(save())
    type('Name', 'Storehouse')
    fireEvent.click(save())
    await screen.findByText(en.bots.saved)
    expect(sent).toEqual([{ name: 'Store' }])
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Storehouse')
    expect(save()).toHaveProperty('disabled', false)
  })

  test('say beside the field why they were refused', async () => {
    const { fail } = setUp()
    const error = { code: 'invalid_format', detail: 'Must be scheme, host and port.' } as const
    fail(new ApiError(400, 'invalid_request', '', { errors: [{ pointer: '/origins/1', ...error }] }))
    type(en.bots.fields.origins, 'https://shop.example\nshop')
    fireEvent.click(save())
    const field = screen.getByLabelText(en.bots.fields.origins)
    await waitFor(() => expect(document.activeElement).toBe(field))
    const describedBy = field.getAttribute('aria-describedby')?.split(' ') ?? []
    const described = describedBy.map(id => document.getElementById(id)?.textContent)
    expect(described.at(-1)).toBe('shop: Must be scheme, host and port.')
    expect(save()).toHaveProperty('disabled', false)
  })

  test('are not lost by leaving, unless somebody says so', async () => {
    const { ask, isHeld } = setUp()
    expect(isHeld()).toBe(false)
    type('Name', 'Store')
    await waitFor(() => expect(isHeld()).toBe(true))
    let hasLeft = false
    ask(() => {
      hasLeft = true
    })
    const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' })
    expect(hasLeft).toBe(false)
    fireEvent.click(dialog.querySelector('.danger') as Element)
    await waitFor(() => expect(hasLeft).toBe(true))
    type('Name', 'Acme')
    await waitFor(() => expect(isHeld()).toBe(false))
  })

  test('have hours for each day, in a time zone, and are without them once nothing is left of them', async () => {
    const hours = { timeZone: 'Asia/Tokyo', week: { mon: '09:00-17:00' }, holidays: ['2030-12-25'] }
    const { sent, fail } = setUp({ hours })
    expect(screen.getByLabelText('Monday, From')).toHaveProperty('value', '09:00')
    expect(screen.getByLabelText('Time zone')).toHaveProperty('value', 'Asia/Tokyo')
    type('Monday, Until', '18:00')
    type('Sunday, From', '22:00')
    type('Holidays', '2030-12-25\n\n2031-01-01')
    fail(
      new ApiError(400, 'invalid_request', '', {
        errors: [
          { pointer: '/hours/week/sun', code: 'invalid_format', detail: 'Must be two times.' },
          { pointer: '/hours/week', code: 'invalid_format', detail: 'Must have a day.' },
          { pointer: '/hours/timeZone', code: 'invalid_format', detail: 'Must be a time zone.' },
          { pointer: '/hours/holidays/1', code: 'invalid_format', detail: 'Must be a date.' },
        ],
      }),
    )
    fireEvent.click(save())
    await screen.findByText('Must be two times.')
    await screen.findByText('2031-01-01: Must be a date.')
    for (const [label, error] of [
      ['Sunday, From', 'Must be two times.'],
      ['Monday, From', 'Must have a day.'],
      ['Time zone', 'Must be a time zone.'],
    ] as const) {
      const field = screen.getByLabelText(label)
      expect(field.getAttribute('aria-invalid'), label).toBe('true')
      expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent, label).toBe(error)
    }
    const week = { mon: '09:00-18:00', sun: '22:00-' }
    expect(sent.pop()).toEqual({ hours: { ...hours, week, holidays: ['2030-12-25', '2031-01-01'] } })
    for (const day of ['Monday, From', 'Monday, Until', 'Sunday, From', 'Holidays']) type(day, '')
    fireEvent.click(save())
    expect(sent).toEqual([{ hours: null }])
  })

  test('have a prompt only if a model answers', () => {
    setUp({ responder: 'faq', prompt: null })
    expect(screen.queryByLabelText(en.bots.fields.prompt)).toBeNull()
    expect(screen.getByText(en.bots.responders.faq)).toBeTruthy()
  })
})
