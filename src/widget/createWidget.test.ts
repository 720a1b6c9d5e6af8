import { expect, it } from 'vitest'
import { createWidget } from './index.ts'

it('createWidget() throws what to write if an option that it needs is missing, or a guess could store too much', () => {
  const create = (options: object) => () => createWidget(options as Parameters<typeof createWidget>[0])
  const options = { botId: 'bot', baseUrl: 'https://chat.example' }
  expect(create({ ...options, botId: '' })).toThrow('createWidget() needs `botId`')
  expect(create({ ...options, baseUrl: 'chat.example' })).toThrow('createWidget() needs `baseUrl`')
  expect(create({ ...options, mode: 'inline' })).toThrow('needs `target`')
  for (const persist of ['sesion', false])
    expect(create({ ...options, persist })).toThrow(
      'createWidget() needs `persist` to be "local", "session" or "memory"',
    )
  expect(document.querySelector('[data-natter]')).toBeNull()
})
