import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { describeStore } from '../storeSuite.ts'
import { createSqliteStore } from './sqliteStore.ts'

const folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
describeStore('createSqliteStore with a file', () => createSqliteStore({ file: join(folder, `${++count}.db`) }))
describeStore('createSqliteStore with :memory:', () => createSqliteStore({ file: ':memory:' }))
