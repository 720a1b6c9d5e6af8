import fc from 'fast-check'
import type * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { scale } from '../../testScale.ts'
import {
  agentMessageSchema,
  contactCreateSchema,
  contactTokenCreateSchema,
  contactUpdateSchema,
  eventStreamRequestSchema,
  messageCreateSchema,
  messageListRequestSchema,
  nonceRequestSchema,
  openapi,
  readSchema,
  validate,
} from '../index.ts'
import { anyCharacter } from '../testing/anyCharacter.ts'
import { createSchemaValidator } from '../testing/schemaValidator.ts'
import { requestSchema, responseSchema } from './schemas.ts'

const schemas = createSchemaValidator(openapi('1.2.3'))
const accepts = (schema: v.GenericSchema, value: unknown): { document: boolean; platform: boolean } => ({
  document: schemas.problemsOf(requestSchema(schema), value).length === 0,
  platform: 'output' in validate(schema, value),
})

const uuid = fc.uuid().map(text => text.toUpperCase())
/** Values around every bound in the schemas. */
const text = fc.oneof(
  fc.constantFrom('', 'Ada', 'ada@example.com', 'a@b', '+4712345678', '+0123456', '(22) 33/44', 'm-1', '\u202e', '\0'),
  fc.constantFrom('x'.repeat(255), 'é'.repeat(256), '1'.repeat(32), '1'.repeat(33), 'm'.repeat(129), '😀'.repeat(4000)),
  fc.constantFrom(`${'a'.repeat(64)}@example.com`, `${'a'.repeat(65)}@example.com`, `a@${'b.'.repeat(130)}no`),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ maxLength: 20 }),
  uuid,
)
// Blanks are trimmed and composed characters counted once, which JSON Schema cannot express.
const tidy = text.map(value => value.toWellFormed().trim().normalize('NFC'))
const anything = fc.oneof({ weight: 8, arbitrary: tidy }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) })
/** Values of fields that are no texts. */
const special: Record<string, fc.Arbitrary<unknown>> = {
  attachments: fc.array(fc.record({ id: uuid, name: tidy }), { maxLength: 6 }),
  handBack: fc.boolean(),
}
const arbitraryOf = (name: string) => {
  const usual = special[name]
  return usual ? fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: anything }) : anything
}
const body = (...names: string[]) =>
  fc.record(Object.fromEntries(names.map(name => [name, arbitraryOf(name)])), { requiredKeys: [] })

const files = [{ id: crypto.randomUUID(), name: 'a.png' }]

describe('requestSchema', () => {
  it.each([
    ['create contact', contactCreateSchema, ['name', 'email', 'phone', 'mid', 'wid', 'other']],
    ['update contact', contactUpdateSchema, ['name', 'email', 'phone', 'mid', 'wid']],
    ['create contact token', contactTokenCreateSchema, ['id', 'email']],
    ['send message', messageCreateSchema, ['id', 'text', 'attachments']],
    ['an agent’s message', agentMessageSchema, ['id', 'text', 'format', 'attachments', 'handBack']],
    ['mark read', readSchema, ['seq']],
    ['retrieve session, and download a file, by POST', nonceRequestSchema, ['nonce']],
    ['read messages by POST', messageListRequestSchema, ['nonce', 'before', 'limit']],
    ['stream events by POST', eventStreamRequestSchema, ['nonce', 'after']],
  ] as const)('refuses nothing that the platform accepts: %s', (_, schema, names) => {
    fc.assert(
      fc.property(body(...names), value => {
        const { document, platform } = accepts(schema, value)
        expect(document || !platform, JSON.stringify(value)).toBe(true)
      }),
      { numRuns: 300, seed: scale.seed },
    )
  })

  it('describes all rules for mid', () => {
    fc.assert(
      fc.property(anything, mid => {
        const value = { mid }
        const { document, platform } = accepts(contactUpdateSchema, value)
        expect(document, JSON.stringify(value)).toBe(platform)
      }),
      { numRuns: 300, seed: scale.seed },
    )
  })

  it.each([
    [
      'nonce',
      fc.oneof(tidy, fc.string({ unit: fc.constantFrom('a', 'Z', '0', '_', '-'), minLength: 14, maxLength: 66 })),
    ],
    ['before', fc.oneof(fc.integer({ min: -1, max: 2 }), fc.double(), fc.constantFrom(999_999_999_999_999, 1e15))],
    ['limit', fc.oneof(fc.integer({ min: -1, max: 102 }), fc.double())],
  ])('describes all rules for the %s of a read by POST', (field, near) => {
    fc.assert(
      fc.property(fc.oneof(near, fc.jsonValue({ maxDepth: 1 })), value => {
        const { document, platform } = accepts(messageListRequestSchema, { nonce: 'x'.repeat(16), [field]: value })
        expect(document, JSON.stringify(value)).toBe(platform)
      }),
      { numRuns: 300, seed: scale.seed },
    )
  })

  it.each([
    { name: '' },
    { name: 'a\u0007' },
    { name: 'x'.repeat(256) },
    { email: 'ada' },
    { email: 'ada@localhost' },
    { email: `${'a'.repeat(65)}@example.com` },
    { email: `ada@${'b'.repeat(250)}.no` },
  ])('refuses what the platform refuses: %j', value => {
    expect(accepts(contactUpdateSchema, value)).toEqual({ document: false, platform: false })
  })

  it.each([
    {},
    { text: 'Hello' },
    { id: crypto.randomUUID() },
    { handBack: false },
    { id: crypto.randomUUID(), handBack: true },
    { id: crypto.randomUUID(), text: '' },
    { id: crypto.randomUUID(), attachments: [] },
    { attachments: files },
    { attachments: files, handBack: true },
  ])('refuses an agent’s message that is empty or has no id: %j', value => {
    expect(accepts(agentMessageSchema, value)).toEqual({ document: false, platform: false })
  })

  it.each([{}, { text: '' }, { text: 'See' }])('accepts a message with a file and %j', given => {
    const value = { id: crypto.randomUUID(), attachments: files, ...given }
    for (const schema of [agentMessageSchema, messageCreateSchema])
      expect(accepts(schema, value)).toEqual({ document: true, platform: true })
  })

  it.each([{}, { text: '' }, { attachments: [] }])('refuses a visitor’s message with only %j', given => {
    const value = { id: crypto.randomUUID(), ...given }
    expect(accepts(messageCreateSchema, value)).toEqual({ document: false, platform: false })
  })
})

describe('responseSchema', () => {
  it('requires every field that the platform always sends, including those with a default', () => {
    const contact = openapi('1.2.3').components.schemas['Contact']
    expect(contact?.['required']).toEqual([
      ...['id', 'name', 'email', 'phone', 'mid', 'wid'],
      ...['createdAt', 'updatedAt'],
    ])
    expect(responseSchema(contactCreateSchema)).not.toHaveProperty('$defs')
  })
})
