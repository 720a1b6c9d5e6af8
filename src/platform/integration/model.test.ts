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
    data?: unknown
    pagination?: unknown
    conflict?: { contactId: string }
    errors?: { pointer: string }[]
  }
  replayed: boolean
}
interface Made {
  id: string
  by: number
}
const nobody = '00000000-0000-7000-8000-000000000000'

async function play(history: Operation[], counts: Record<string, number>): Promise<void> {
  const tenants = await createTestTenants({ log: () => {} })
  const reference = createReferenceModel(tenants.clock.now())
  const made: Made[] = []
  try {
    for (const [step, operation] of history.entries()) await take(tenants, reference, made, operation, step, counts)
    await compareAll(tenants, reference)
  } finally {
    await tenants.close()
  }
}

async function take(
  tenants: TestTenants,
  reference: Reference,
  made: Made[],
  operation: Operation,
  step: number,
  counts: Record<string, number>,
): Promise<void> {
  if (operation.do === 'wait') {
    tenants.clock.advance(operation.ms)
    reference.wait(operation.ms)
    return
  }
  const contact = 'contact' in operation ? made[(operation.contact ?? 0) % made.length] : undefined
  const token = 'token' in operation ? reference.tokens[operation.token % reference.tokens.length] : undefined
  const by = operation.by === 'owner' ? ((contact ?? token)?.by ?? 0) : operation.by
  const contactId = contact?.id ?? nobody
  const ask = async (method: string, path: string, json?: unknown, bearer?: string): Promise<ModelResponse> => {
    const headers = 'key' in operation && operation.key !== undefined ? { 'idempotency-key': operation.key } : {}
    const options = { headers, ...(json !== undefined && { json }), ...(bearer !== undefined && { token: bearer }) }
    const response = await testBots(tenants)[by]?.call(method, path, options)
    if (!response) throw new Error(`There is no bot ${by}`)
    const text = await response.text()
    const body = text === '' ? {} : (JSON.parse(text) as ModelResponse['body'] & { code?: string })
    const outcome = 'code' in body ? `${response.status} ${body.code}` : String(response.status)
    const replayed = response.headers.has('idempotent-replayed')
    const counted = `${operation.do} ${outcome}${replayed ? ' again' : ''}`
    counts[counted] = (counts[counted] ?? 0) + 1
    return { outcome, body, replayed }
  }
  const context = `step ${step}: ${JSON.stringify(operation)}`
  const same = (answer: ModelResponse, ...expected: Expected[]): void =>
    expect(
      expected.map(({ outcome }) => outcome),
      context,
    ).toContain(answer.outcome)
  const alike = (answer: ModelResponse, expected: Expected, data: unknown = answer.body.data): void => {
    const { conflict, errors } = answer.body
    const pointers = answer.outcome === '400 invalid_request' ? errors?.map(({ pointer }) => pointer) : undefined
    expect(
      { outcome: answer.outcome, data, pointers, conflict: conflict?.contactId, replayed: answer.replayed },
      context,
    ).toEqual({
      replayed: false,
      ...expected,
    })
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
      const answer = await ask(
        'POST',
        `/contacts?${new URLSearchParams({ query, page: `${page}`, limit: `${limit}` })}`,
      )
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
      const expected = reference.token(by, target, operation.key, issued)
      return alike({ ...answer, replayed: false }, expected)
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

const testBots = ({ ours, sibling, otherOrganization, otherOrganizationSibling }: TestTenants) => [
  ours,
  sibling,
  otherOrganization,
  otherOrganizationSibling,
]

/** Compares all data, as seen from every bot. */
async function compareAll(tenants: TestTenants, reference: Reference): Promise<void> {
  for (const [by, testBot] of testBots(tenants).entries()) {
    const { data, pagination } = (await (
      await testBot.call('POST', '/contacts?limit=100')
    ).json()) as ModelResponse['body']
    expect({ data, pagination }).toEqual(reference.search(by, '', 1, 100).data)
    for (const token of reference.tokens) {
      const response = await testBot.call('GET', '/widget/session', { token: token.token })
      const { code } = (await response.json()) as { code?: string }
      const outcome = code ? `${response.status} ${code}` : String(response.status)
      expect(reference.use(by, token).map(expected => expected.outcome)).toContain(outcome)
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
