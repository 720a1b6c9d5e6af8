import { describe, expect, it } from 'vitest'
import { botSettingsSchemas, maxBotTextLength, maxGreetingLength, maxQuickReplyLength } from './bots.ts'
import { validate } from './validation.ts'

const read = (name: keyof typeof botSettingsSchemas, text: string) => {
  const result = validate(botSettingsSchemas[name], text)
  return 'output' in result ? result.output : result.errors[0]?.code
}

describe('botSettingsSchemas', () => {
  it('accept texts that can be shown to a visitor', () => {
    expect(read('name', ' Acme Outfitters ')).toBe('Acme Outfitters')
    expect(read('avatar', 'https://shop.example/bot.png')).toBe('https://shop.example/bot.png')
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]'])
      expect(read('avatar', `http://${host}/bot.png`)).toBe(`http://${host}/bot.png`)
    expect(read('greeting', 'Hello!\nWhat can I do for you? 👋')).toBe('Hello!\nWhat can I do for you? 👋')
    expect(read('greeting', '👋'.repeat(maxGreetingLength))).toHaveLength(2 * maxGreetingLength)
    expect(read('quickReply', ' Size guide ')).toBe('Size guide')
    expect(read('subtitle', ' Answers at once ')).toBe('Answers at once')
    expect(read('text', ' Sorry.\nI do not know. ')).toBe('Sorry.\nI do not know.')
    expect(read('text', '👋'.repeat(maxBotTextLength))).toHaveLength(2 * maxBotTextLength)
    expect(read('locale', 'NB-no')).toBe('nb-NO')
    for (const name of ['avatar', 'subtitle', 'greeting', 'accent'] as const) expect(read(name, '')).toBe('')
  })

  it('refuse texts that cannot be shown in a chat', () => {
    const refused: [keyof typeof botSettingsSchemas, string, string][] = [
      ['name', ' ', 'too_short'],
      ['avatar', 'http://shop.example/bot.png', 'invalid_format'],
      ['avatar', 'http://localhost.shop.example/bot.png', 'invalid_format'],
      ['avatar', 'http://localhost@shop.example/bot.png', 'invalid_format'],
      ['avatar', 'javascript:alert(1)', 'invalid_format'],
      ['avatar', 'https://shop.example/\ud800', 'invalid_format'],
      ['avatar', 'https://shop.example/\0', 'invalid_format'],
      ['avatar', `https://shop.example/${'a'.repeat(2048)}`, 'too_long'],
      ['subtitle', 'two\nlines', 'invalid_character'],
      ['subtitle', 'a'.repeat(81), 'too_long'],
      ['greeting', 'a\0b', 'invalid_character'],
      ['greeting', 'a\ud800', 'invalid_character'],
      ['greeting', 'a'.repeat(maxGreetingLength + 1), 'too_long'],
      ['quickReply', 'two\nlines', 'invalid_character'],
      ['quickReply', '', 'too_short'],
      ['quickReply', 'a'.repeat(maxQuickReplyLength + 1), 'too_long'],
      ['text', ' ', 'too_short'],
      ['text', 'a\0b', 'invalid_character'],
      ['text', 'a'.repeat(maxBotTextLength + 1), 'too_long'],
      ['accent', 'red', 'invalid_format'],
      ['locale', 'no such language', 'invalid_format'],
    ]
    for (const [name, text, code] of refused) expect([name, read(name, text)]).toEqual([name, code])
  })
})
