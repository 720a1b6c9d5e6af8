import { afterEach, expect, test, vi } from 'vitest'
import { visitorsEnglish } from './visitorsEnglish.ts'

afterEach(() => vi.restoreAllMocks())

test.each([
  [['de', 'en-GB', 'en-US'], 'en-GB'],
  [['EN-au'], 'EN-au'],
  [['en', 'en-GB'], 'en'],
  [['eng', 'enm-GB', 'de-en'], 'en'],
  [[], 'en'],
])('writes English for a visitor with the languages %j as %s', (languages, variant) => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages)
  expect(visitorsEnglish()).toBe(variant)
})
