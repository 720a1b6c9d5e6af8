import { afterEach, expect, test, vi } from 'vitest'
import { visitorsVariant } from './visitorsVariant.ts'

afterEach(() => vi.restoreAllMocks())

test.each([
  ['en', ['de', 'en-GB', 'en-US'], 'en-GB'],
  ['en-US', ['en-GB'], 'en-GB'],
  ['de-AT', ['en-GB', 'de'], 'de'],
  ['ar', ['ar-EG'], 'ar-EG'],
  ['zh-Hant', ['zh-CN', 'zh-HK'], 'zh-HK'],
  ['zh-TW', ['zh-CN'], 'zh-TW'],
  ['fr-CA', ['en-GB'], 'fr-CA'],
])('writes %s for a visitor with the languages %j as %s', (tag, languages, variant) => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages)
  expect(visitorsVariant(tag)).toBe(variant)
})
