import { render, screen } from '@testing-library/preact'
import { expect, it } from 'vitest'
import { createFixture } from '../testing/uiFixtures.ts'
import { Notices } from './Notices.tsx'
import { WidgetContext } from './WidgetContext.ts'

it('says that a message was dropped, until the visitor dismisses it', () => {
  const models = createFixture()
  models.conversation.outbox.hasDropped.value = true
  render(
    <WidgetContext.Provider value={models}>
      <Notices />
    </WidgetContext.Provider>,
  )
  expect(screen.getByRole('status').textContent).toContain('A message from before you signed in was not sent.')
  screen.getByRole('button', { name: 'Dismiss' }).click()
  expect(models.calls.map(([name]) => name)).toEqual(['dismissDropped'])
})
