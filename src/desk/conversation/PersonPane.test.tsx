import { cleanup, render, screen } from '@testing-library/preact'
import { afterEach, expect, test } from 'vitest'
import type { Person } from '../../contract/desk.ts'
import { DeskContext } from '../DeskContext.ts'
import type { Desk } from '../desk.ts'
import { createFormat } from '../i18n/format.ts'
import { en } from '../i18n/locales/en.ts'
import { ConversationContext } from './ConversationContext.ts'
import { PersonPane } from './PersonPane.tsx'
import { createFakeDesk } from './testing/fakeDesk.ts'

afterEach(cleanup)

const mia = { id: 'k1', name: 'Mia', email: 'mia@shop.example', phone: '', mid: '', wid: '', createdAt: '', updatedAt: '' }

async function setUp(person: Partial<Person>) {
  const fake = createFakeDesk()
  const show = (changed: Partial<Person>) => {
    fake.person = { ...fake.person, ...changed }
    fake.update({ contact: fake.person.contact })
  }
  show(person)
  const thread = await fake.open()
  const desk = { strings: en, format: createFormat('en', en), now: { value: Date.parse('2026-03-14T12:00:00') } }
  render(
    <DeskContext.Provider value={desk as unknown as Desk}>
      <ConversationContext.Provider value={{ thread, bot: undefined }}>
        <PersonPane isOpen={true} onClose={() => {}} />
      </ConversationContext.Provider>
    </DeskContext.Provider>,
  )
  return { fake, show, pane: screen.getByRole('complementary') }
}

test('a guest is called so once, and nobody has verified it', async () => {
  const { pane } = await setUp({})
  expect(pane.textContent?.match(/Guest/g)).toHaveLength(1)
  expect(pane.textContent).toContain('Not verified')
})

test('a contact is verified by the site, and since when it is signed in is shown as it changes', async () => {
  const { show, pane } = await setUp({ contact: mia, signedInSince: '2026-03-14T09:05:00' })
  expect(pane.textContent).toContain('Verified by your siteYour server has said who this is, with a contact token.')
  expect(pane.textContent).toContain('Signed in since 9:05')
  show({ signedInSince: null })
  await screen.findByText('Not signed in at the moment.')
})

test('ratings are shown once there are some', async () => {
  const { show } = await setUp({})
  expect(screen.queryByText('Ratings')).toBeNull()
  show({ ratings: { up: 3, down: 1, last: 'down' } })
  const title = await screen.findByText('Ratings')
  expect(title.parentElement?.textContent).toBe('RatingsHelpful3Not helpful1LastNot helpful')
})
