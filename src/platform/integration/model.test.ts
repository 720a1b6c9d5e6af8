import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { report, scale, simulationRuns } from '../../testScale.ts'
import { histories, type Operation } from '../testing/model/operations.ts'
import { createReferenceModel, type Expected } from '../testing/model/referenceModel.ts'
import { createTestTenants, type TestTenants } from '../testing/testTenants.ts'

type Reference = ReturnType<typeof createReferenceModel>
interface ModelResponse {
  outcome: string
  body: {
    code?: string
    data?: unknown
    pagination?: unknown
    conflict?: { contactId: string }
    errors?: { pointer: string }[]
  }
  replayed: boolean
}
const nobody = '00000000-0000-7000-8000-000000000000'

/** Calls a bot of the test tenants, by its number. */
async function call(tenants: TestTenants, by: number, method: string, path: string, options: object) {
  const { ours, sibling, otherOrganization, otherOrganizationSibling } = tenants
  const bot = [ours, sibling, otherOrganization, otherOrganizationSibling][by]
  if (!bot) throw new Error(`There is no bot ${by}`)
  const response = await bot.call(method, path, options)
  const text = await response.text()
  const body = text === '' ? {} : (JSON.parse(text) as ModelResponse['body'])
  const outcome = body.code ? `${response.status} ${body.code}` : String(response.status)
  return { outcome, body, replayed: response.headers.has('idempotent-replayed') }
}

async function play(history: Operation[], counts: Record<string, number>): Promise<void> {
  const tenants = await createTestTenants({ log: () => {} })
  const reference = createReferenceModel(tenants.clock.now())
  const made: { id: string; by: number }[] = []
  try {
    for (const [step, operation] of history.entries())
      if (operation.do === 'wait') {
        tenants.clock.advance(operation.ms)
        reference.wait(operation.ms)
      } else await take(operation, `step ${step}: ${JSON.stringify(operation)}`)
    await compareAll(tenants, reference)
  } finally {
    await tenants.close()
  }

  async function take(operation: Exclude<Operation, { do: 'wait' }>, context: string): Promise<void> {
    const contact = 'contact' in operation ? made[(operation.contact ?? 0) % made.length] : undefined
    const token = 'token' in operation ? reference.tokens[operation.token % reference.tokens.length] : undefined
    const by = operation.by === 'owner' ? ((contact ?? token)?.by ?? 0) : operation.by
    const contactId = contact?.id ?? nobody
    const ask = async (method: string, path: string, json?: unknown, bearer?: string): Promise<ModelResponse> => {
      const headers = 'key' in operation && operation.key !== undefined ? { 'idempotency-key': operation.key } : {}
      const options = { headers, ...(json !== undefined && { json }), ...(bearer !== undefined && { token: bearer }) }
      const answer = await call(tenants, by, method, path, options)
      const counted = `${operation.do} ${answer.outcome}${answer.replayed ? ' again' : ''}`
      counts[counted] = (counts[counted] ?? 0) + 1
      return answer
    }
    const same = ({ outcome }: ModelResponse, ...expected: Expected[]): void =>
      expect(outcomesOf(expected), context).toContain(outcome)
    const alike = (answer: ModelResponse, expected: Expected, data: unknown = answer.body.data): void => {
      const { outcome, replayed, body } = answer
      const pointers = outcome === '400 invalid_request' ? body.errors?.map(({ pointer }) => pointer) : undefined
      const found = { outcome, data, pointers, conflict: body.conflict?.contactId, replayed }
      expect(found, context).toEqual({ replayed: false, ...expected })
    }

    switch (operation.do) {
      case 'create': {
        const answer = await ask('PUT', '/contacts', operation.fields)
        const id = (answer.body.data as { id: string } | undefined)?.id ?? ''
        alike(answer, reference.create(by, operation.fields, operation.key, id))
        if (answer.outcome === '201' && !answer.replayed) made.push({ id, by })
        return
      }
      case 'update': {
        const { fields } = operation
        return alike(await ask('PATCH', `/contacts/${contactId}`, fields), reference.update(by, contactId, fields))
      }
      case 'upsert': {
        const answer = await ask('PATCH', '/contacts', { data: operation.entries })
        const ids = ((answer.body.data ?? []) as { id: string }[]).map(({ id }) => id)
        alike(answer, reference.upsert(by, operation.entries, operation.key, ids))
        for (const id of ids) if (!made.some(known => known.id === id)) made.push({ id, by })
        return
      }
      case 'retrieve':
        return alike(await ask('GET', `/contacts/${contactId}`), reference.retrieve(by, contactId))
      case 'delete':
        return alike(await ask('DELETE', `/contacts/${contactId}`), reference.delete(by, contactId))
      case 'signOut': {
        const answer = await ask('DELETE', `/contacts/${contactId}/tokens`)
        return alike(answer, reference.signOut(by, contactId, operation.key))
      }
      case 'search': {
        const { query, page, limit } = operation
        const search = new URLSearchParams({ query, page: `${page}`, limit: `${limit}` })
        const answer = await ask('POST', `/contacts?${search}`)
        const { data, pagination } = answer.body
        return alike(answer, reference.search(by, query, page, limit), { data, pagination })
      }
      case 'token': {
        const target = {
          ...(operation.contact !== undefined && { id: contactId }),
          ...(operation.email !== undefined && { email: operation.email }),
        }
        const answer = await ask('PUT', '/auth/contacts', target)
        const issued = (answer.body.data as { token: string } | undefined)?.token ?? ''
        return alike({ ...answer, replayed: false }, reference.token(by, target, operation.key, issued))
      }
      case 'use': {
        if (!token) return
        const answer = await ask('GET', '/widget/session', undefined, token.token)
        const expected = reference.use(by, token)
        same(answer, ...expected)
        const { contact } = (answer.body.data ?? {}) as { contact?: unknown }
        return expect(contact, context).toEqual(expected[0]?.data)
      }
      case 'revoke':
        if (token) same(await ask('DELETE', `/auth/contacts/${token.token}`), reference.revoke(by, token))
        return
      case 'logout':
        if (token) same(await ask('DELETE', '/widget/session', undefined, token.token), ...reference.logout(by, token))
    }
  }
}

const outcomesOf = (expected: Expected[]): string[] => expected.map(({ outcome }) => outcome)

/** Compares all data, as seen from every bot. */
async function compareAll(tenants: TestTenants, reference: Reference): Promise<void> {
  for (const by of [0, 1, 2, 3]) {
    const { data, pagination } = (await call(tenants, by, 'POST', '/contacts?limit=100', {})).body
    expect({ data, pagination }).toEqual(reference.search(by, '', 1, 100).data)
    for (const known of reference.tokens) {
      const { outcome } = await call(tenants, by, 'GET', '/widget/session', { token: known.token })
      expect(outcomesOf(reference.use(by, known))).toContain(outcome)
    }
  }
}

describe('contacts, tokens and upserts of two organizations', () => {
  it('behave as specified for any sequence of calls', async () => {
    const counts: Record<string, number> = {}
    const property = fc.asyncProperty(histories, history => play(history, counts))
    await fc.assert(property, simulationRuns(scale.modelHistories))
    const calls = Object.values(counts).reduce((sum, count) => sum + count, 0)
    report(`${scale.modelHistories} histories, ${calls} calls: ${JSON.stringify(counts)}`)
  }, 1_800_000)
})
