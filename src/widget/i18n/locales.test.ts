import { afterEach, describe, expect, test, vi } from 'vitest'
import { en, formatCount, type PluralForms, type Translation, visitorsEnglish } from './en.ts'
import { launcherTextsIn } from './launcherStrings.ts'
import { localeFiles, textsIn } from './locales.ts'

const counted = ['chatUnread', 'charactersLeft'] as const
const placeholders = (text: string) => (text.match(/{\w+}/g) ?? []).sort()
const formsOf = (forms: PluralForms): [string, string][] => (typeof forms === 'string' ? [] : Object.entries(forms))
const plain = Object.keys(en).filter(key => !['lang', 'dir', ...counted].includes(key)) as (keyof typeof en)[]

/** Strings that are spelled the same as in English, by language. */
const sameAsEnglish: Record<string, string[]> = {
  chat: ['cs', 'de', 'es', 'fr', 'id', 'it', 'nb', 'nl', 'pt-BR', 'pt-PT'],
  send: ['nb'],
  transcript: ['fr'],
  messages: ['fr'],
  code: ['de', 'fr', 'nl'],
}

const translations = await Promise.all(
  Object.entries(localeFiles).map(async ([tag, load]) => [tag, (await load()).texts] as [string, Translation]),
)

describe('the texts of each locale', () => {
  test('are all strings of the English translation, with the same placeholders', () => {
    for (const [tag, texts] of translations) {
      expect(Object.keys(texts).sort(), tag).toEqual([...plain, ...counted].sort())
      for (const key of plain) {
        const text = texts[key as 'chat']
        expect(text.trim(), `${tag}: ${key}`).toBe(text)
        expect(text, `${tag}: ${key}`).not.toBe('')
        expect(placeholders(text), `${tag}: ${key}`).toEqual(placeholders(en[key]))
      }
    }
  })

  test('have a plural form for exactly the categories that whole numbers need', () => {
    for (const [tag, texts] of translations) {
      const rules = new Intl.PluralRules(tag)
      const needed = Map.groupBy([...Array(201).keys(), 1000, 4000], count => rules.select(count))
      for (const key of counted) {
        const forms = texts[key]
        if (typeof forms === 'string') expect(placeholders(forms), `${tag}: ${key}`).toEqual(['{count}'])
        else
          expect(Object.keys(forms).sort(), `${tag}: ${key}`).toEqual([...new Set([...needed.keys(), 'other'])].sort())
        for (const [category, form] of formsOf(forms)) {
          // Only a form that applies to a single number may omit the placeholder.
          const single = needed.get(category as Intl.LDMLPluralRule)?.length === 1
          if (!single || form.includes('{'))
            expect(placeholders(form), `${tag}: ${key} ${category}`).toEqual(['{count}'])
        }
      }
    }
  })

  test('leave no string in English', () => {
    const same = translations.flatMap(([tag, texts]) =>
      plain
        .filter(key => texts[key as 'chat'] === en[key] && !sameAsEnglish[key]?.includes(tag))
        .map(key => `${tag}: ${key}`),
    )
    expect(same).toEqual([])
  })

  test('label the launcher with their own word or "Chat" before they are loaded', () => {
    for (const [tag, { chat }] of translations) expect(['Chat', chat], tag).toContain(launcherTextsIn(tag).chat)
  })
})

describe('textsIn', () => {
  const langs = async (tags: string) => {
    const { lang, dir, you } = await textsIn(tags)
    return [lang, dir, you]
  }

  test('looks up a tag as BCP 47 defines, in any spelling', async () => {
    const rows = {
      'de-AT': ['de-AT', 'ltr', 'Sie'],
      DE: ['de', 'ltr', 'Sie'],
      pt: ['pt', 'ltr', 'Você'],
      pt_AO: ['pt-AO', 'ltr', (await textsIn('pt-PT')).you],
      'zh-TW': ['zh-TW', 'ltr', '您'],
      no: ['nb', 'ltr', 'Du'],
      iw: ['he', 'rtl', (await textsIn('he')).you],
      'ar-EG': ['ar-EG', 'rtl', 'أنت'],
    }
    for (const [tag, expected] of Object.entries(rows)) expect(await langs(tag), tag).toEqual(expected)
    expect((await textsIn('zh-HK')).newMessages).toBe((await textsIn('zh-Hant')).newMessages)
    expect((await textsIn('zh')).newMessages).toBe((await textsIn('zh-Hans')).newMessages)
  })

  test('uses the first available of several tags, or English', async () => {
    expect(await langs('ca, fr-CA,de')).toEqual(['fr-CA', 'ltr', 'Vous'])
    expect(await textsIn('sw,en-GB,de')).toEqual({})
    for (const none of ['sw', 'x', '🙂', '', 'constructor']) expect(await textsIn(none), none).toEqual({})
  })

  test('formats a number with its plural form and the digits of the language', async () => {
    const format = async (tag: string, count: number) => formatCount((await textsIn(tag)).chatUnread ?? '', count)
    expect(await format('de', 1)).toBe('Chat, 1 ungelesene Nachricht')
    expect(await format('de', 2)).toBe('Chat, 2 ungelesene Nachrichten')
    expect(await format('ar', 2)).toBe('دردشة، رسالتان غير مقروءتين')
    expect(await format('fa', 12)).toContain('۱۲')
    expect(await format('ru', 22)).not.toBe((await format('ru', 25))?.replace('25', '22'))
  })
})

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

test.each([
  ['de', ['en-GB', 'de-AT', 'de'], 'de-AT'],
  ['de-AT', ['en-GB', 'de'], 'de'],
  ['ar', ['ar-EG'], 'ar-EG'],
  ['zh-Hant', ['zh-CN', 'zh-HK'], 'zh-HK'],
  ['zh-TW', ['zh-CN'], 'zh-TW'],
  ['fr-CA', ['en-GB'], 'fr-CA'],
])('writes %s for a visitor with the languages %j as %s', async (tag, languages, variant) => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages)
  expect((await textsIn(tag)).lang).toBe(variant)
})
