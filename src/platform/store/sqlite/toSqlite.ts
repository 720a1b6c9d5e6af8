const translations: [pattern: RegExp, replacement: string][] = [
  // One writer at a time: nothing to lock.
  [/\bFOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)(?: OF \w+)?(?: SKIP LOCKED| NOWAIT)?/g, ''],
  // Columns and values have their types already.
  [/::\w+(?:\[\])?/g, ''],
  [/= ANY \((\$\d+)\)/g, 'IN (SELECT value FROM json_each($1))'],
  [/<> ALL \((\$\d+)\)/g, 'NOT IN (SELECT value FROM json_each($1))'],
  [/\bjson_array_elements\(/g, 'json_each('],
  [/\bgreatest\(/g, 'max('],
  [/\bleast\(/g, 'min('],
]

export interface SqliteStatement {
  /** With `?` in place of numbered placeholders. */
  text: string
  /** For each `?`, the index of its value. */
  order: number[]
}

/** Translates a statement that is written for PostgreSQL. */
export function toSqlite(text: string): SqliteStatement {
  let translated = text.replace(recordset, (_, list: string, name: string, columns: string) => {
    const fields = columns.split(',').map(column => column.trim().split(' ')[0])
    return `(SELECT ${fields.map(field => `value ->> '${field}' AS ${field}`).join(', ')} FROM json_each(${list})) AS ${name}`
  })
  for (const [pattern, replacement] of translations) translated = translated.replace(pattern, replacement)
  const order: number[] = []
  translated = translated.replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1)
    return '?'
  })
  return { text: translated, order }
}

/** A list of JSON objects as rows with named columns. */
const recordset = /json_to_recordset\((\$\d+)\) AS (\w+) \(([^)]*)\)/g
