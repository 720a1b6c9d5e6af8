import { expect, it, vi } from 'vitest'
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

it('createWidget() with the same bot returns the widget that is there, and says so in the console', () => {
  const lines: string[] = []
  vi.spyOn(console, 'warn').mockImplementation(line => void lines.push(line))
  const options = { botId: 'one', baseUrl: 'https://chat.example' }
  const first = createWidget(options)
  expect(lines).toEqual([])
  expect(createWidget(options)).toBe(first)
  expect(lines).toEqual([expect.stringContaining('already has a widget with the bot one')])
  const other = createWidget({ ...options, botId: 'two' })
  expect(other).not.toBe(first)
  first.destroy()
  const next = createWidget(options)
  expect(next).not.toBe(first)
  expect(lines).toHaveLength(1)
  other.destroy()
  next.destroy()
})
