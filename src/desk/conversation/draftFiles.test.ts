import { expect, test } from 'vitest'
import type { Upload } from '../../contract/index.ts'
import { maxAttachmentBytes } from '../../contract/limits.ts'
import { ApiError } from '../ApiError.ts'
import { createDraftFiles } from './draftFiles.ts'

function setUp() {
  const uploads: { id: string; abortSignal: AbortSignal; resolve(): void; reject(error: unknown): void }[] = []
  let ids = 0
  const model = createDraftFiles({
    createId: () => `f${++ids}`,
    upload: (id, { size }, abortSignal) =>
      new Promise<Upload>((resolve, reject) => {
        uploads.push({ id, abortSignal, resolve: () => resolve({ id, type: 'text/plain', size }), reject })
      }),
  })
  const states = () => model.files.value.map(({ state }) => (state.kind === 'failed' ? state.problem : state.kind))
  return { model, uploads, states }
}

const file = (name: string, size = 3) => new File(['x'.repeat(size)], name)
const settle = () => new Promise(resolve => setTimeout(resolve))

test('files are uploaded at once, and ready when all of them are', async () => {
  const { model, uploads, states } = setUp()
  model.add([file('a.txt'), file('../b.txt')])
  expect([states(), model.status.value]).toEqual([['uploading', 'uploading'], 'busy'])
  for (const { resolve } of uploads) resolve()
  await settle()
  expect(model.status.value).toBe('ready')
  expect(model.take().map(({ id, name }) => [id, name])).toEqual([
    ['f1', 'a.txt'],
    ['f2', '.._b.txt'],
  ])
  expect(model.status.value).toBe('empty')
})

test('at most five files are taken, and the rest is refused in words', () => {
  const { model } = setUp()
  model.add(Array.from({ length: 7 }, (_, index) => file(`${index}.txt`)))
  expect([model.files.value.length, model.hadTooMany.value]).toEqual([5, true])
  model.remove('f1')
  expect(model.hadTooMany.value).toBe(false)
})

test('a file that is too large is not uploaded', () => {
  const { model, uploads, states } = setUp()
  model.add([file('a.txt', maxAttachmentBytes + 1)])
  expect([states(), uploads.length]).toEqual([['tooLarge'], 0])
})

test('a failed upload can be repeated if that may help, and a removed one is cancelled', async () => {
  const { model, uploads, states } = setUp()
  model.add([file('a.txt'), file('b.exe'), file('c.txt')])
  uploads[0]?.reject(new ApiError(0, 'unreachable', ''))
  uploads[1]?.reject(new ApiError(415, 'file_refused', ''))
  // The bot takes smaller ones.
  uploads[2]?.reject(new ApiError(413, 'body_too_large', ''))
  await settle()
  expect(states()).toEqual(['unreachable', 'refused', 'tooLarge'])
  model.retry('f1')
  expect(states()).toEqual(['uploading', 'refused', 'tooLarge'])
  model.remove('f1')
  expect(uploads[3]?.abortSignal.aborted).toBe(true)
})
