import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { createDeployment } from './deployment.ts'

it('a store that another process keeps locked is reported as 503 in time; reads keep working, and writes work again without a restart', async () => {
  const deployment = await createDeployment()
  onTestFinished(deployment.remove)
  const { call } = deployment
  await deployment.serve()
  const created = await call('PUT', '/contacts', { json: { name: 'Ada', email: 'ada@example.com' } })
  const { id } = ((await created.json()) as { data: { id: string } }).data
  const other = new DatabaseSync(deployment.database, { timeout: 10_000 })
  other.exec('BEGIN IMMEDIATE')

  const signal = AbortSignal.timeout(20_000)
  const writes = [
    call('PUT', '/contacts', { json: { name: 'Bob', email: 'bob@example.com' }, signal }),
    call('PATCH', `/contacts/${id}`, { json: { name: 'Countess' }, signal }),
    call('PUT', '/auth/contacts', { json: { id }, signal }),
    call('POST', '/widget/sessions', { token: '', signal }),
    call('DELETE', `/contacts/${id}`, { signal }),
  ]
  expect((await call('GET', `/contacts/${id}`)).status).toBe(200)
  expect((await call('POST', '/contacts?query=ada')).status).toBe(200)
  expect((await call('GET', '/widget', { token: '' })).status).toBe(200)
  for (const response of await Promise.all(writes)) {
    expect([response.status, await response.json()]).toMatchObject([503, { code: 'unavailable' }])
    expect(response.headers.get('retry-after')).not.toBeNull()
  }

  other.exec('ROLLBACK')
  other.close()
  const made = await call('PUT', '/contacts', { json: { name: 'Carol', email: 'carol@example.com' } })
  expect(made.status).toBe(201)
  // Nothing of what was refused is done since.
  expect(await (await call('GET', `/contacts/${id}`)).json()).toMatchObject({ data: { name: 'Ada' } })
  expect(await (await call('POST', '/contacts?query=bob')).json()).toMatchObject({ pagination: { total: 0 } })
})
