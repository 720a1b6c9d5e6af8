import { expect, it, onTestFinished } from 'vitest'
import { ofOrganization, wholeDatabase } from '../moves/rowSelection.ts'
import { tables } from '../moves/tables.ts'
import { openDatabase } from './connection.ts'
import { toNumbered } from './copiedRows.ts'
import { migrate } from './migrations.ts'

/** Their rows are kept for a day at most, so sorting them takes little memory. */
const shortLived = ['turn_log', 'deliveries']

it.each([
  ['a whole database', wholeDatabase],
  ['an organization', ofOrganization('o')],
] as const)('reads %s in the order of indexes, without sorting all rows of a table in memory', (_, selection) => {
  const db = openDatabase({ file: ':memory:', busyTimeoutMs: 0, durable: false })
  onTestFinished(() => db.close())
  migrate(db)
  const sorted = tables.filter(table => {
    const condition = toNumbered(selection.conditionOf(table))
    const select = `SELECT ${selection.columnsOf(table).join(', ')} FROM ${table.name} WHERE ${condition}`
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${select} ORDER BY ${table.key}`).all(...selection.values)
    return plan.some(({ detail }) => String(detail).includes('USE TEMP B-TREE'))
  })
  expect(sorted.map(({ name }) => name).filter(name => !shortLived.includes(name))).toEqual([])
})
