import { waitFor } from '@testing-library/preact'
import { describe, expect, test } from 'vitest'
import { open } from '../testing/testPanel.ts'
import { storedMessage } from '../testing/uiFixtures.ts'
// Loads the chunk now, so that a test need not wait for it on a busy machine.
import './Sources.tsx'

describe('Sources', () => {
  test('are numbered links below the answer that open in a new tab, and show where a misleading title leads', async () => {
    const { view } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [
        storedMessage(1, 'bot', 'Within 30 days.', 1, {
          sources: [
            { title: 'Returns', url: 'https://shop.example/returns' },
            { title: 'bank.example', url: 'https://evil.example/' },
          ],
        }),
      ]
    })
    const list = await view.findByRole('list', { name: 'Sources' })
    expect(list.tagName).toBe('OL')
    const links = [...list.querySelectorAll('a')]
    expect(links.map(link => [link.textContent, link.href])).toEqual([
      ['Returns', 'https://shop.example/returns'],
      ['bank.example (evil.example)', 'https://evil.example/'],
    ])
    for (const link of links) expect([link.target, link.rel]).toEqual(['_blank', 'noopener noreferrer'])
  })

  test('with another scheme than https are not shown', async () => {
    const { view } = await open(({ conversation }) => {
      conversation.messageStore.messages.value = [
        storedMessage(1, 'bot', 'Well.', 1, {
          sources: [
            { title: 'Script', url: 'javascript:alert(1)' },
            { title: 'Fine', url: 'https://shop.example/' },
          ],
        }),
      ]
    })
    await waitFor(() => expect(view.getAllByRole('link').map(link => link.textContent)).toEqual(['Fine']))
  })
})
