import { expect, it } from 'vitest'
import { toSqlite } from './toSqlite.ts'

it.each([
  ['numbered placeholders', 'SELECT $2, $1, $2', 'SELECT ?, ?, ?', [1, 0, 1]],
  [
    'locks',
    'SELECT id FROM bots b FOR NO KEY UPDATE OF b SKIP LOCKED FOR UPDATE OF d NOWAIT',
    'SELECT id FROM bots b  ',
    [],
  ],
  ['types', 'seq < $1::bigint AND $2::text[] IS NULL', 'seq < ? AND ? IS NULL', [0, 1]],
  [
    'lists',
    'id = ANY ($1) AND bot_id <> ALL ($2)',
    'id IN (SELECT value FROM json_each(?)) AND bot_id NOT IN (SELECT value FROM json_each(?))',
    [0, 1],
  ],
  [
    'JSON objects as rows',
    'FROM json_to_recordset($1) AS held (id text, seq integer) WHERE held.id = id',
    "FROM (SELECT value ->> 'id' AS id, value ->> 'seq' AS seq FROM json_each(?)) AS held WHERE held.id = id",
    [0],
  ],
])('translates %s', (_, statement, text, order) => {
  expect(toSqlite(statement)).toEqual({ text, order })
})
