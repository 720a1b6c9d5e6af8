import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  endReasons,
  eventStreamRequestSchema,
  messageCreateSchema,
  messageListRequestSchema,
  messageSchema,
  nonceRequestSchema,
  readSchema,
  sessionSchema,
  streamEventSchemas,
  toFieldErrors,
} from './index.ts'

const id = '0190b6a4-1c2d-7e3f-8a4b-5c6d7e8f9a0b'
const errors = (input: unknown) => toFieldErrors(v.safeParse(messageCreateSchema, input).issues ?? [])

describe('messageCreateSchema', () => {
  it('accepts a UUID, lower-cased, and a trimmed text, which keeps the indentation of its first line if there are others', () => {
    expect(v.parse(messageCreateSchema, { id: id.toUpperCase(), text: ' Hi\nthere \n' })).toEqual({
      id,
      text: ' Hi\nthere',
    })
  })
  it.each(['', 'x', id.slice(1), `${id}0`, id.replaceAll('-', ''), `{${id}}`, id.replace('a', 'g'), `${id}\n`])(
    'refuses the id %j',
    id => {
      expect(errors({ id, text: 'Hi' })).toMatchObject([{ pointer: '/id', code: 'invalid_format' }])
    },
  )
  it('accepts at most 4000 code points', () => {
    expect(errors({ id, text: '😀'.repeat(4000) })).toEqual([])
    expect(errors({ id, text: ` ${'a'.repeat(4000)} ` })).toEqual([])
    expect(errors({ id, text: 'a'.repeat(4001) })).toMatchObject([{ pointer: '/text', code: 'too_long' }])
  })
  it.each(['', ' \n\t '])('refuses the empty text %j', text => {
    expect(errors({ id, text })).toMatchObject([{ pointer: '/text', code: 'too_short' }])
  })
  it.each(['a\0b', 'a\ud800b', 'a\udc00'])('refuses %j, which not every store can keep', text => {
    expect(errors({ id, text })).toMatchObject([{ pointer: '/text', code: 'invalid_character' }])
  })
  it.each(['<script>alert(1)</script>', 'javascript:alert(1)', '\u202eabc', "'; --"])('accepts %s unchanged', text => {
    expect(v.parse(messageCreateSchema, { id, text }).text).toBe(text)
  })
  const attachments = [{ id, name: 'a.png' }]
  it.each([{}, { text: '' }, { text: ' \n' }, { text: '\u200b' }])('accepts %j beside a file', given => {
    const { text = '' } = v.parse(messageCreateSchema, { id, attachments, ...given })
    expect(text).toBe('')
  })
  it.each([
    [{}, 'missing'],
    [{ text: ' ' }, 'too_short'],
    [{ text: '\u200b' }, 'too_short'],
  ])('refuses %j beside an empty list of files', (given, code) => {
    expect(errors({ id, attachments: [], ...given })).toMatchObject([{ pointer: '/text', code }])
  })
  it('accepts only strings, and requires an id and something to show', () => {
    expect(errors({})).toMatchObject([
      { pointer: '/id', code: 'missing' },
      { pointer: '/text', code: 'missing' },
    ])
    expect(errors({ id, text: ['Hi'] })).toMatchObject([{ pointer: '/text', code: 'wrong_type' }])
  })
  it('accepts the language of the widget as a tag of at most 35 characters, and writes it as usual', () => {
    expect(v.parse(messageCreateSchema, { id, text: 'Hi', locale: 'DE-at' })).toMatchObject({ locale: 'de-AT' })
    for (const locale of ['', 'de_AT', 'no such language', `de-${'x'.repeat(8)}${'-abcdefgh'.repeat(3)}`])
      expect(errors({ id, text: 'Hi', locale }), locale).toMatchObject([{ pointer: '/locale', code: 'invalid_format' }])
    expect(errors({ id, text: 'Hi', locale: 7 })).toMatchObject([{ pointer: '/locale', code: 'wrong_type' }])
  })
})

describe('readSchema', () => {
  it.each([0, 1, Number.MAX_SAFE_INTEGER])('accepts %d', seq => {
    expect(v.parse(readSchema, { seq })).toEqual({ seq })
  })
  it.each([
    [-1, 'out_of_range'],
    [1.5, 'out_of_range'],
    [2 ** 53, 'out_of_range'],
    ['1', 'wrong_type'],
    [null, 'wrong_type'],
    [undefined, 'missing'],
  ])('refuses %j with %s', (seq, code) => {
    const { issues } = v.safeParse(readSchema, { seq })
    expect(toFieldErrors(issues ?? [])).toMatchObject([{ pointer: '/seq', code }])
  })
})

describe('the bodies of reads by POST', () => {
  const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
  const errorsOf = (schema: v.GenericSchema, input: unknown) => toFieldErrors(v.safeParse(schema, input).issues ?? [])

  it.each(['a'.repeat(16), 'Z9_-'.repeat(16), nonce])('accept the nonce %s', nonce => {
    expect(v.parse(nonceRequestSchema, { nonce, other: 1 })).toEqual({ nonce })
  })
  it.each([
    ['', 'invalid_format'],
    ['a'.repeat(15), 'invalid_format'],
    ['a'.repeat(65), 'invalid_format'],
    [`${nonce}=`, 'invalid_format'],
    [`${nonce}\n`, 'invalid_format'],
    [` ${nonce}`, 'invalid_format'],
    [`${nonce}é`, 'invalid_format'],
    [[nonce], 'wrong_type'],
    [1234567890123456, 'wrong_type'],
    [null, 'wrong_type'],
    [undefined, 'missing'],
  ])('refuse the nonce %j with %s', (nonce, code) => {
    for (const schema of [nonceRequestSchema, messageListRequestSchema, eventStreamRequestSchema])
      expect(errorsOf(schema, { nonce })).toMatchObject([{ pointer: '/nonce', code }])
  })

  it('accept page parameters within the bounds of the query, with 30 messages as the default', () => {
    expect(v.parse(messageListRequestSchema, { nonce })).toEqual({ nonce, limit: 30 })
    for (const limit of [1, 100])
      for (const before of [1, 999_999_999_999_999])
        expect(v.parse(messageListRequestSchema, { nonce, before, limit })).toEqual({ nonce, before, limit })
  })
  it.each([
    ['limit', [0, 101, -1, 1.5]],
    ['before', [0, -1, 1.5, 1e15]],
  ])('refuse a %s outside the bounds of the query', (field, values) => {
    for (const value of values)
      expect(errorsOf(messageListRequestSchema, { nonce, [field]: value })).toMatchObject([
        { pointer: `/${field}`, code: 'out_of_range' },
      ])
    for (const value of ['1', null, [1], true])
      expect(errorsOf(messageListRequestSchema, { nonce, [field]: value })).toMatchObject([
        { pointer: `/${field}`, code: 'wrong_type' },
      ])
  })

  it('accept a position from 0 on to stream from, and none', () => {
    expect(v.parse(eventStreamRequestSchema, { nonce })).toEqual({ nonce })
    for (const after of [0, 999_999_999_999_999])
      expect(v.parse(eventStreamRequestSchema, { nonce, after })).toEqual({ nonce, after })
    for (const after of [-1, 1.5, 1e15])
      expect(errorsOf(eventStreamRequestSchema, { nonce, after })).toMatchObject([
        { pointer: '/after', code: 'out_of_range' },
      ])
  })
})

describe('what the platform sends to the widget', () => {
  const message = { id, seq: 1, author: 'bot', text: 'Hi', format: 'plain', createdAt: '2026-01-01T00:00:00.000Z' }
  it('includes messages of four authors in two formats', () => {
    expect(v.parse(messageSchema, { ...message, later: true })).toEqual(message)
    expect(v.is(messageSchema, { ...message, author: 'admin' })).toBe(false)
    expect(v.is(messageSchema, { ...message, format: 'html' })).toBe(false)
    expect(v.is(messageSchema, { ...message, quickReplies: [1] })).toBe(false)
  })
  it('includes a session of a contact or an anonymous one', () => {
    const conversation = { lastSeq: 0, readSeq: 0, unread: 0, revision: 0 }
    expect(v.is(sessionSchema, { contact: null, conversation })).toBe(true)
    expect(v.is(sessionSchema, { contact: { id, name: 'Ada Lovelace' }, conversation })).toBe(true)
    expect(v.is(sessionSchema, { conversation })).toBe(false)
  })
  it('opens a stream by POST with the nonce of the request', () => {
    expect(v.is(streamEventSchemas.opened, { nonce: 'mZk3xT0qVb8Lr2Nw6YcPdA' })).toBe(true)
    expect(v.is(streamEventSchemas.opened, {})).toBe(false)
  })
  it('ends a session for one of four reasons', () => {
    expect(endReasons).toEqual(['revoked', 'expired', 'contact_deleted', 'logged_out'])
    for (const reason of endReasons) expect(v.is(streamEventSchemas['session.ended'], { reason })).toBe(true)
    expect(v.is(streamEventSchemas['session.ended'], { reason: 'bored' })).toBe(false)
  })
})
