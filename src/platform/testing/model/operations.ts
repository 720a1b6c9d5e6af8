import fc from 'fast-check'

/** Fields of a contact as in a request. */
export interface Fields {
  name?: string
  email?: string
  phone?: string
  wid?: string
  mid?: string
}

/** A bot, or `owner` for the bot that owns the contact or token. */
export type By = number | 'owner'

/**
 * One call. `by` is a bot (two in each organization), or the one that owns the contact or token. `contact` and `token`
 * are indexes, modulo the number ever created. `key` is an Idempotency-Key.
 */
export type Operation =
  | { do: 'create'; by: number; fields: Fields; key?: string }
  | { do: 'update'; by: By; contact: number; fields: Fields }
  | { do: 'upsert'; by: number; entries: Fields[]; key?: string }
  | { do: 'delete' | 'retrieve'; by: By; contact: number }
  | { do: 'signOut'; by: By; contact: number; key?: string }
  | { do: 'search'; by: number; query: string; page: number; limit: number }
  | { do: 'token'; by: By; contact?: number; email?: string; key?: string }
  | { do: 'use' | 'revoke' | 'logout'; by: By; token: number }
  | { do: 'wait'; ms: number }

const hour = 3_600_000
const emails = [
  ...['ada@example.com', 'ADA@Example.com', 'bob+x@example.com', 'x@bücher.example', 'x@XN--BCHER-KVA.example'],
  ...['c_c@example.com', 'd%d@example.com', ' e@example.org ', 'f@example.org'],
]
const names = [
  ...['Ada Lovelace', 'Åse Ødegård', 'Łukasz Groß', 'Işık ﬁne', "O'Brien_50%"],
  ...['山田 太郎', ' Jose\u0301 ', 'ada'],
]
const queries = ',ada,ASE,ødegard,groSS,fi,_,%,50%,4712,+47 12,12-34,a,田,zz,@,019'.split(',')

const by = fc.nat(3)
const mostlyOwner = fc.oneof({ weight: 4, arbitrary: fc.constant('owner' as const) }, { weight: 1, arbitrary: by })
const index = fc.nat(30)
const email = fc.constantFrom(...emails)
const field = {
  name: fc.constantFrom(...names),
  email,
  phone: fc.constantFrom('', '+47 12 34 56', '(030) 12-34'),
  wid: fc.constantFrom('', '+4712345678'),
  mid: fc.constantFrom('', 'Mid-1'),
}
const fields = (...requiredKeys: ('name' | 'email')[]): fc.Arbitrary<Fields> => fc.record(field, { requiredKeys })
// Only a few keys, so that they are reused. Most requests have none.
const key = fc.option(fc.constantFrom('k1', 'k2'), { freq: 2, nil: undefined })
const withKey = <Call extends object>(call: fc.Arbitrary<Call>): fc.Arbitrary<Call & { key?: string }> =>
  fc.tuple(call, key).map(([operation, value]) => (value === undefined ? operation : { ...operation, key: value }))
const is = <Name extends string>(name: Name): fc.Arbitrary<Name> => fc.constant(name)

const milliseconds = fc.constantFrom(1, 1000, hour, 23 * hour, 25 * hour, 200 * 24 * hour, 366 * 24 * hour)
const entry = fc.oneof(fields('name', 'email'), fields('email'))
const search = { query: fc.constantFrom(...queries), page: fc.integer({ min: 1, max: 5 }) }

/** How often each call is made, in relation to the others. */
const calls: [weight: number, arbitrary: fc.Arbitrary<Operation>][] = [
  [6, withKey(fc.record({ do: is('create'), by, fields: fields('name', 'email') }))],
  [4, fc.record({ do: is('update'), by: mostlyOwner, contact: index, fields: fields() })],
  [4, withKey(fc.record({ do: is('upsert'), by, entries: fc.array(entry, { maxLength: 4 }) }))],
  [2, fc.record({ do: fc.constantFrom('delete', 'retrieve'), by: mostlyOwner, contact: index })],
  [2, withKey(fc.record({ do: is('signOut'), by: mostlyOwner, contact: index }))],
  [4, fc.record({ do: is('search'), by, ...search, limit: fc.constantFrom(1, 2, 3, 10, 100) })],
  [2, withKey(fc.record({ do: is('token'), by: mostlyOwner, contact: index }))],
  [2, withKey(fc.record({ do: is('token'), by, email }))],
  [2, withKey(fc.record({ do: is('token'), by: mostlyOwner, contact: index, email }))],
  [6, fc.record({ do: fc.constantFrom('use', 'use', 'revoke', 'logout'), by: mostlyOwner, token: index })],
  [2, fc.record({ do: is('wait'), ms: milliseconds })],
]
const operation = fc.oneof(...calls.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** A step can also repeat one of the last calls with a key. */
const step = fc.oneof({ weight: 9, arbitrary: operation }, { weight: 1, arbitrary: fc.record({ again: fc.nat(2) }) })

/** A sequence of calls by two organizations with two bots each. */
export const histories: fc.Arbitrary<Operation[]> = fc
  .array(step, { minLength: 1, maxLength: 300, size: 'max' })
  .map(steps => {
    const history: Operation[] = []
    for (const next of steps) {
      const call = 'again' in next ? history.filter(earlier => 'key' in earlier).at(-1 - next.again) : next
      if (call) history.push(call)
    }
    return history
  })
