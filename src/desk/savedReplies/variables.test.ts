import { describe, expect, it } from 'vitest'
import { fillVariables, findVariable } from './variables.ts'

const values = { name: 'Ada', email: '', bot: 'Shop', member: 'Nora' }

describe('variables', () => {
  it.each([
    ['Hi {{name}}, {{ member }} of {{bot|us}} here', 'Hi Ada, Nora of Shop here'],
    ['{{email|your address}} {{order|your order}}', 'your address your order'],
    ['{{email}} {{order}} {{email|}} {{constructor}}', '{{email}} {{order}} {{email|}} {{constructor}}'],
    ['`{{name}}` {{name}} { {name} }', '`{{name}}` Ada { {name} }'],
  ])('of %j', (text, filled) => {
    expect(fillVariables(text, values)).toBe(filled)
  })

  it('that are left are found, but not in code', () => {
    expect(findVariable('Use `{{name}}`, {{order}} {{email}}')).toEqual({ start: 16, variable: '{{order}}' })
    expect(findVariable('{name} `{{x}}`')).toBeNull()
    expect(findVariable('```\n{{x}}\n\n{{y}}\n```')).toBeNull()
  })

  it('that are left are found beside an odd backtick', () => {
    expect(findVariable('5` {{x}}\nand `code`')?.variable).toBe('{{x}}')
  })
})
