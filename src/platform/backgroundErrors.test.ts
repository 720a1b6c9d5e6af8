import { expect, it } from 'vitest'
import { createBackgroundErrors } from './backgroundErrors.ts'
import { createLogger } from './http/log.ts'
import { StoreUnavailableError } from './store/store.ts'

it('logs an outage once at its start, and once when every repeated call has succeeded again', async () => {
  const lines: string[] = []
  const { onError, watch } = createBackgroundErrors(
    createLogger(line => void lines.push((JSON.parse(line) as { msg: string }).msg), 'info'),
  )
  let isFull = false
  const write = watch(async () => {
    if (isFull) throw new StoreUnavailableError('the disk is full')
  })
  const read = watch(async () => {})
  isFull = true
  for (let round = 0; round < 3; round++) await Promise.all([write(), read()])
  expect(lines).toEqual(['the store does not answer: requests that need it get 503'])
  isFull = false
  await Promise.all([write(), read()])
  expect(lines.slice(1)).toEqual(['the store answers again'])
  onError(new Error('something else'))
  await Promise.all([write(), read()])
  expect(lines.slice(2)).toEqual(['background work failed'])
})
