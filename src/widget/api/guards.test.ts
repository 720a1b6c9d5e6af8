import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  botProfileSchema,
  endReasons,
  messagePageSchema,
  messageSchema,
  sessionSchema,
  streamEventSchemas,
  visitorSessionSchema,
} from '../../contract/index.ts'
import { scale } from '../../testScale.ts'
import {
  decodeEvent,
  isBotProfile,
  isMessage,
  isMessagePage,
  isMessages,
  isSession,
  isVisitorSession,
} from './guards.ts'

const enumValues = ['visitor', 'bot', 'agent', 'system', 'plain', 'markdown', 'robot', ...endReasons]
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(...enumValues))
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }), fc.dictionary(fc.string(), leaf, { maxKeys: 3 }))

const attachment = fc.record(
  {
    ...{ id: fc.string(), name: fc.string(), size: fc.nat(), width: fc.nat(), height: fc.nat() },
    type: fc.constantFrom('image/png', 'application/pdf', 'text/plain'),
  },
  { requiredKeys: ['id', 'type', 'size', 'name'] },
)
const exampleMessage = { id: 'm', seq: 1, author: 'bot', text: 'Hi', format: 'plain', createdAt: '' }

/** An object with a schema's keys and mostly valid values. Sometimes one value is invalid, missing or added. */
function almostValid(schema: { entries: Record<string, unknown> }) {
  const good: Record<string, fc.Arbitrary<unknown>> = {
    seq: fc.nat(),
    agentPauseSeconds: fc.nat(),
    offset: fc.nat(),
    images: fc.boolean(),
    handover: fc.boolean(),
    ratings: fc.boolean(),
    eraseByVisitor: fc.boolean(),
    email: fc.boolean(),
    rating: fc.constantFrom('up', 'down'),
    visitors: fc.constantFrom('everyone', 'contacts'),
    author: fc.constantFrom('visitor', 'bot', 'agent', 'system'),
    format: fc.constantFrom('plain', 'markdown'),
    reason: fc.constantFrom(...endReasons),
    quickReplies: fc.array(fc.string(), { maxLength: 2 }),
    openings: fc.array(fc.record({ from: fc.string(), until: fc.string() }), { maxLength: 2 }),
    sender: fc.record({ name: fc.string(), avatar: fc.string() }, { requiredKeys: ['name'] }),
    sources: fc.array(fc.record({ title: fc.string(), url: fc.string() }), { maxLength: 2 }),
    // A profile says whether there can be files; a message has some.
    attachments: 'images' in schema.entries ? fc.boolean() : fc.array(attachment, { maxLength: 2 }),
    contact: fc.oneof(fc.constant(null), fc.record({ id: fc.string(), name: fc.string() })),
    conversation: fc.record({ lastSeq: fc.nat(), readSeq: fc.nat(), unread: fc.nat(), revision: fc.nat() }),
    revision: fc.nat(),
    message: fc.constant(exampleMessage),
    data: fc.array(fc.constant(exampleMessage), { maxLength: 2 }),
  }
  // The widget does not show files, so it does not check them.
  const checked = Object.keys(schema.entries).filter(key => key !== 'attachments')
  const valid = fc.record(
    Object.fromEntries(Object.keys(schema.entries).map(key => [key, good[key] ?? fc.string()])),
  ) as fc.Arbitrary<Record<string, unknown>>
  return fc
    .tuple(valid, fc.option(fc.tuple(fc.constantFrom(...checked, 'more'), fc.option(value, { nil: undefined }))))
    .map(([object, replaced]): unknown => {
      if (!replaced) return object
      const [key, other] = replaced
      const { [key]: _, ...rest } = object
      return other === undefined ? rest : { ...rest, [key]: other }
    })
}

const guards = {
  message: [messageSchema, isMessage],
  'page of messages': [messagePageSchema, isMessagePage],
  session: [sessionSchema, isSession],
  'visitor session': [visitorSessionSchema, isVisitorSession],
  'bot profile': [botProfileSchema, isBotProfile],
} as const

describe('the guards for data from the platform', () => {
  it.each(Object.entries(guards))('agree with the contract: %s', (_, [schema, guard]) => {
    let validCount = 0
    fc.assert(
      fc.property(fc.oneof({ arbitrary: almostValid(schema), weight: 9 }, { arbitrary: value, weight: 1 }), each => {
        const valid = v.is(schema, each)
        if (valid) validCount++
        expect(guard(each)).toBe(valid)
      }),
      { numRuns: 500, seed: scale.seed },
    )
    expect(validCount).toBeGreaterThan(50)
  })

  it('accept a list of messages only if every entry is one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(almostValid(messageSchema), { maxLength: 3 }), value), each => {
        expect(isMessages(each)).toBe(v.is(v.array(messageSchema), each))
      }),
      { seed: scale.seed },
    )
  })

  it.each(Object.entries(streamEventSchemas))('agree with the contract: event %s', (name, schema) => {
    fc.assert(
      fc.property(
        fc.oneof({ arbitrary: almostValidEvent(schema), weight: 9 }, { arbitrary: value, weight: 1 }),
        data => {
          const json = JSON.stringify(data)
          expect(decodeEvent(name, json)).toEqual(v.is(schema, data) ? { event: name, data: JSON.parse(json) } : null)
        },
      ),
      { seed: scale.seed },
    )
  })

  it('reject events that the contract does not know, and invalid JSON', () => {
    for (const name of ['toString', '__proto__', 'constructor', 'message.edited', '']) {
      expect(decodeEvent(name, '{}')).toBeNull()
    }
    expect(decodeEvent('reset', '{')).toBeNull()
  })
})

const almostValidEvent = (schema: { entries: Record<string, unknown> }) =>
  Object.keys(schema.entries).length ? almostValid(schema) : value
