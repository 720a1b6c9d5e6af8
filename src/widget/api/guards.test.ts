import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  botProfileSchema,
  endReasons,
  messageSchema,
  sessionSchema,
  streamEventSchemas,
  visitorSessionSchema,
} from '../../contract/index.ts'
import { scale } from '../../testScale.ts'
import { decodeEvent, isBotProfile, isMessage, isMessages, isSession, isVisitorSession } from './guards.ts'

const words = ['visitor', 'bot', 'agent', 'system', 'plain', 'markdown', 'robot', ...endReasons]
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(...words))
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(fc.string(), leaf, { maxKeys: 3 }))

/** An object of a schema's keys, mostly with values that it takes, with some spoiled, missing or added. */
function nearly(schema: { entries: Record<string, unknown> }) {
  const good: Record<string, fc.Arbitrary<unknown>> = {
    seq: fc.nat(),
    offset: fc.nat(),
    images: fc.boolean(),
    author: fc.constantFrom('visitor', 'bot', 'agent', 'system'),
    format: fc.constantFrom('plain', 'markdown'),
    reason: fc.constantFrom(...endReasons),
    quickReplies: fc.array(fc.string(), { maxLength: 2 }),
    contact: fc.oneof(fc.constant(null), fc.record({ id: fc.string(), name: fc.string() })),
    conversation: fc.record({ lastSeq: fc.nat(), readSeq: fc.nat(), unread: fc.nat() }),
  }
  const whole = fc.record(
    Object.fromEntries(Object.keys(schema.entries).map(key => [key, good[key] ?? fc.string()])),
  ) as fc.Arbitrary<Record<string, unknown>>
  return fc
    .tuple(
      whole,
      fc.option(
        fc.tuple(fc.constantFrom(...Object.keys(schema.entries), 'more'), fc.option(value, { nil: undefined })),
      ),
    )
    .map(([object, spoiled]): unknown => {
      if (!spoiled) return object
      const [key, other] = spoiled
      const { [key]: _, ...rest } = object
      return other === undefined ? rest : { ...rest, [key]: other }
    })
}

const guards = {
  message: [messageSchema, isMessage],
  session: [sessionSchema, isSession],
  'visitor session': [visitorSessionSchema, isVisitorSession],
  'bot profile': [botProfileSchema, isBotProfile],
} as const

describe('the guards of what arrives', () => {
  it.each(Object.entries(guards))('agree with the contract about a %s', (_, [schema, guard]) => {
    let taken = 0
    fc.assert(
      fc.property(fc.oneof({ arbitrary: nearly(schema), weight: 9 }, { arbitrary: value, weight: 1 }), each => {
        const valid = v.is(schema, each)
        if (valid) taken++
        expect(guard(each)).toBe(valid)
      }),
      { numRuns: 500, seed: scale.seed },
    )
    expect(taken).toBeGreaterThan(50)
  })

  it('take a list of messages only if each is one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(nearly(messageSchema), { maxLength: 3 }), value), each => {
        expect(isMessages(each)).toBe(v.is(v.array(messageSchema), each))
      }),
      { seed: scale.seed },
    )
  })

  it.each(Object.entries(streamEventSchemas))('agree with the contract about the event %s', (name, schema) => {
    fc.assert(
      fc.property(fc.oneof({ arbitrary: nearlyEvent(schema), weight: 9 }, { arbitrary: value, weight: 1 }), data => {
        const json = JSON.stringify(data)
        expect(decodeEvent(name, json)).toEqual(v.is(schema, data) ? { event: name, data: JSON.parse(json) } : null)
      }),
      { seed: scale.seed },
    )
  })

  it('take no event that the contract does not know, and nothing that is no JSON', () => {
    for (const name of ['toString', '__proto__', 'constructor', 'message.edited', '']) {
      expect(decodeEvent(name, '{}')).toBeNull()
    }
    expect(decodeEvent('reset', '{')).toBeNull()
  })
})

const nearlyEvent = (schema: { entries: Record<string, unknown> }) =>
  Object.keys(schema.entries).length ? nearly(schema) : value
