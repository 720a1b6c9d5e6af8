import { expect, it, vi } from 'vitest'
import { headings, readGuide } from '../../guides.ts'
import { createReporter, guideAddress } from './problems.ts'

it('a mistake of the site is named with a section that the guide has, of the platform at any address', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const report = createReporter('https://shop.example/chat/')
  const anchors = headings(readGuide('src/widget/README.md')).map(({ anchor }) => anchor)
  for (const section of [undefined, 'browsers', 'embed-it', 'as-an-element']) {
    const what = `The section is ${section}`
    report(what, section)
    const anchor = section ?? 'options'
    expect(anchors).toContain(anchor)
    expect(warn.mock.calls.splice(0)).toEqual([
      [`Natter: ${what}. See https://shop.example/chat/docs/widget#${anchor}`],
    ])
  }
})

it('the address of the guide may be wrong', () => {
  expect(guideAddress(5 as never)).toBe('5/docs/widget#options')
})
