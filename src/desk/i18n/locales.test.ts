import { afterEach, describe, expect, it, vi } from 'vitest'
import { en } from './locales/en.ts'
import { loadStrings, localeFiles } from './locales.ts'

type Texts = { [key: string]: string | Texts }

/** Each text by its path. A plural has one for each of its forms. */
const pathsOf = (texts: Texts, path = ''): [string, string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[path + key, text]] : pathsOf(text, `${path}${key}.`),
  )
const { lang, dir, ...english } = en
const englishTexts = pathsOf(english)
const pluralPaths = englishTexts.flatMap(([path]) => (path.endsWith('.other') ? [path.slice(0, -'other'.length)] : []))
const pluralOf = (path: string) => pluralPaths.find(plural => path.startsWith(plural))
const placeholders = (text: string) => (text.match(/{{?\w+/g) ?? []).sort()

const translations = await Promise.all(
  Object.entries(localeFiles).map(async ([tag, load]) => [tag, new Map(pathsOf((await load()).texts))] as const),
)

describe('the texts of each locale', () => {
  it('are those of English, with the same placeholders', () => {
    const plain = englishTexts.filter(([path]) => !pluralOf(path))
    for (const [tag, texts] of translations) {
      const paths = [...texts.keys()].filter(path => !pluralOf(path))
      expect(paths.sort(), tag).toEqual(plain.map(([path]) => path).sort())
      for (const [path, text] of plain)
        expect(placeholders(texts.get(path) ?? ''), `${tag}: ${path}`).toEqual(placeholders(text))
      for (const [path, text] of texts) {
        expect(text.trim(), `${tag}: ${path}`).toBe(text)
        expect(text, `${tag}: ${path}`).not.toBe('')
      }
    }
  })

  it('have a plural form for exactly the categories that whole numbers need', () => {
    for (const [tag, texts] of translations) {
      const rules = new Intl.PluralRules(tag)
      const needed = Map.groupBy([...Array(201).keys(), 1000, 4000], count => rules.select(count))
      for (const plural of pluralPaths) {
        const forms = [...texts.keys()].filter(path => path.startsWith(plural))
        const expected = new Set([...needed.keys(), 'other'])
        expect(forms.sort(), tag).toEqual([...expected].map(category => plural + category).sort())
        for (const form of forms) {
          const category = form.slice(plural.length) as Intl.LDMLPluralRule
          // Only a form that applies to a single number may omit the placeholder. The filter has 1, 7 and 30 days.
          const isSingle = needed.get(category)?.length === 1 || form === 'inbox.lastDays.one'
          if (!isSingle) expect(placeholders(texts.get(form) ?? ''), `${tag}: ${form}`).toEqual(['{count'])
        }
      }
    }
  })

  it('are not in English, but for words that the language has, too', () => {
    for (const [tag, texts] of translations) {
      const same = englishTexts.filter(([path, text]) => texts.get(path) === text && /[a-z]{3}/i.test(text))
      expect(same.length, `${tag}: ${same.map(([path]) => path)}`).toBeLessThan(20)
    }
  })
})

describe('loadStrings', () => {
  afterEach(() => vi.restoreAllMocks())
  const load = async (...languages: string[]) => {
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages)
    const { lang, dir, inbox } = await loadStrings(navigator.languages)
    return [lang, dir, inbox.guest]
  }

  it("takes the browser's first language that there is", async () => {
    expect(await load('ca', 'de-AT', 'en')).toEqual(['de-AT', 'ltr', 'Gast'])
    expect((await load('he')).slice(0, 2)).toEqual(['he', 'rtl'])
    expect(await load('en-GB', 'de')).toEqual(['en-GB', 'ltr', 'Guest'])
    expect(await load('sw')).toEqual(['en', 'ltr', 'Guest'])
  })

  it('falls back to English if a file cannot be loaded', async () => {
    vi.spyOn(localeFiles, 'de').mockRejectedValue(new Error('offline'))
    expect(await load('de')).toEqual(['en', 'ltr', 'Guest'])
  })
})
