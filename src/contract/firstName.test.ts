import { describe, expect, it } from 'vitest'
import { firstName } from './firstName.ts'

describe('firstName', () => {
  it.each([
    ['Ada Lovelace', 'en', 'Ada'],
    [' Ada  Lovelace ', 'en', 'Ada'],
    ['Ada', 'de-AT', 'Ada'],
    ['Jean-Luc Picard', 'fr', 'Jean-Luc'],
    ['D’Arcy Wretzky', 'en', 'D’Arcy'],
    ['Zoe\u0301 Noir', 'fr', 'Zoe\u0301'],
    ['Леся Українка', 'uk', 'Леся'],
    ['Ada Lovelace', '', 'Ada'],
  ])('of %j in %j is %j', (name, locale, expected) => expect(firstName(name, locale)).toBe(expected))

  it.each([
    ['Dr. Ada Lovelace', 'en'],
    ['A. Lovelace', 'en'],
    ['Lovelace, Ada', 'en'],
    ['Nguyễn Văn An', 'vi'],
    ['Kovács Anna', 'hu-HU'],
    ['Yamada Taro', 'ja'],
    ['山田 太郎', 'en'],
    ['عبد الله محمد', 'ar'],
    ['ada@example.com', 'en'],
  ])('is the whole of %j in %j', (name, locale) => expect(firstName(name, locale)).toBe(name))
})
