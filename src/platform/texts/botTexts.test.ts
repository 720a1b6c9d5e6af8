import { describe, expect, it, test } from 'vitest'
import { localeFiles } from '../../widget/i18n/locales.ts'
import { botTextsIn, botTextsOf, emailTextsIn, isPersonRequest, isRetry, translations } from './botTexts.ts'
import { englishEmails } from './emailTexts.ts'
import { english } from './english.ts'

const placeholders = (text: string) => text.match(/{\w+}/g) ?? []

test('there are texts for every language of the widget, in which the words for a person are those of its menu', async () => {
  expect(Object.keys(translations).sort()).toEqual(Object.keys(localeFiles).sort())
  for (const [tag, load] of Object.entries(localeFiles)) {
    expect(botTextsIn(tag).person, tag).toBe((await load()).texts.talkToPerson)
  }
})

describe.each(Object.entries(translations))('%s', (_, { texts, emails }) => {
  it('has every text, in its own words and with the same placeholders', () => {
    const own = { ...texts, ...emails } as Record<string, string>
    const inEnglish = { ...english, ...englishEmails } as Record<string, string>
    expect(Object.keys(own).sort()).toEqual(Object.keys(inEnglish).sort())
    for (const [key, model = ''] of Object.entries(inEnglish)) {
      const text = own[key] ?? ''
      expect(text.trim(), key).toBe(text)
      expect(['', model], key).not.toContain(text)
      expect(placeholders(text), key).toEqual(placeholders(model))
    }
  })

  it('has quick replies that are understood', () => {
    expect(isRetry(texts.retry, {})).toBe(true)
    expect(isPersonRequest(` ${texts.person} `, {})).toBe(true)
  })
})

test('the texts of a bot are in its language, or in English', () => {
  for (const [tag, name] of [
    ['de-AT', 'de'],
    ['no', 'nb'],
    ['pt', 'pt-BR'],
    ['pt-AO', 'pt-PT'],
    ['zh', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
  ] as const) {
    expect(botTextsIn(tag), tag).toBe(translations[name]?.texts)
    expect(emailTextsIn(tag), tag).toEqual({ locale: name, texts: translations[name]?.emails })
  }
  for (const tag of ['', 'en-GB', 'sw']) expect(botTextsIn(tag), tag).toBe(english)
})

test('a bot says its own texts in place of those in its language', () => {
  const texts = { unknown: 'Keine Ahnung.', person: 'Frag Ada', retry: 'Noch mal' }
  expect(botTextsOf({ locale: 'de', texts })).toEqual({ ...translations['de']?.texts, ...texts })
  expect(botTextsOf({ locale: '', texts: {} })).toEqual(english)
  for (const words of ['frag ada ', 'Talk to a person']) expect(isPersonRequest(words, texts), words).toBe(true)
  for (const words of ['noch MAL', 'Try again']) expect(isRetry(words, texts), words).toBe(true)
  expect(isPersonRequest('Frag Ada', {})).toBe(false)
  expect(isRetry('Noch mal', {})).toBe(false)
})
