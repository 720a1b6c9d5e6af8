import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const folders = ['.', '../queries', '..']
const readSource = (name: string) => {
  const folder = folders.find(each => existsSync(new URL(`${each}/${name}`, import.meta.url)))
  return read(`${folder}/${name}`)
}
const page = read('../../docs/sizing.md')

/** The rows of the table with this header, as cells. */
function rowsUnder(header: string): string[][] {
  const lines = page.slice(page.indexOf(header)).split('\n')
  const rows = lines.slice(2, lines.indexOf(''))
  return rows.map(row => row.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '')))
}

const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '')

describe('sizing.md', () => {
  it('names the files with SQL that a PostgreSQL-compatible database must support', () => {
    const rows = rowsUnder('| What | Where |')
    expect(rows.length).toBeGreaterThan(20)
    for (const [what, where] of rows) {
      const codes = codeIn(what)
      const files = codeIn(where).map(name => ({ name, text: readSource(name) }))
      for (const code of codes)
        expect(
          files.some(({ text }) => text.includes(code)),
          `${code} in ${where}`,
        ).toBe(true)
      for (const { name, text } of files)
        expect(
          codes.some(code => text.includes(code)),
          `${name} holds none of ${what}`,
        ).toBe(true)
    }
  })
})
