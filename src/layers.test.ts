import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eagerStorage, layerRules } from './layerRules.ts'

/**
 * The entries and the loader reach every other part of the widget through `import()` only, and no framework at all. But
 * `element.ts` defines `<natter-chat>` at once.
 */
const eager = /^src\/widget\/(?:(?!element\.)[^/]+\.tsx?|loader\/.*)$/
const lazy = [
  ...['app', 'identity', 'conversation', 'api', 'store', 'ui', 'tabs', 'markdown', 'displayMode', 'diagnostics'],
].map(folder => `src/widget/${folder}`)

const root = resolve(import.meta.dirname, '..')
/** Tests, and what the tests of a layer share. `src/testing/` itself is an entry of the package. */
const isTest = (file: string) => /\.(test|test-d)\.tsx?$|^src\/\w+\/(?:.+\/)?testing\//.test(file)
const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter(file => !isTest(file) && file.split('/').length > 2)

interface Import {
  line: number
  target: string
  typeOnly: boolean
  dynamic: boolean
}

const importsByFile = new Map<string, Import[]>()

function importsOf(file: string): Import[] {
  const found = importsByFile.get(file) ?? readImports(file)
  importsByFile.set(file, found)
  return found
}

function readImports(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  const pattern =
    /^[ \t]*(?:import|export)\s(type\s)?[^'"`;]*?from\s+'([^']+)'|^import\s+'([^']+)'|(\btypeof\s+)?\bimport\(\s*'([^']+)'\s*\)/gm
  return [...text.matchAll(pattern)].map(match => {
    const specifier = (match[2] ?? match[3] ?? match[5] ?? '').replace(/\?.*$/, '')
    const target = specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : specifier
    const line = text.slice(0, match.index).split('\n').length
    return { line, target, typeOnly: (match[1] ?? match[4]) !== undefined, dynamic: match[5] !== undefined }
  })
}

const matches = (rule: string, target: string): boolean =>
  target === rule || target.startsWith(/[/:]$/.test(rule) ? rule : `${rule}/`)

function isAllowed(may: string[], { target, typeOnly }: Import): boolean {
  return may.some(rule =>
    rule.startsWith('types:') ? typeOnly && matches(rule.slice(6), target) : matches(rule, target),
  )
}

function violations(file: string): string[] {
  const row = layerRules.find(({ folder }) => file.startsWith(folder))
  if (!row) return [`${file}: no row of layerRules.ts holds this file`]
  return importsOf(file)
    .filter(found => {
      const isEagerOnLazy =
        eager.test(file) &&
        !found.dynamic &&
        !found.typeOnly &&
        !eagerStorage.includes(found.target) &&
        lazy.some(folder => matches(folder, found.target))
      return isEagerOnLazy || !isAllowed(row.may, found)
    })
    .map(({ line, target }) => `${file}:${line} may not import ${target}`)
}

const foldersWithSubfolders = new Set(
  files.flatMap(file => {
    const parents = file.split('/').slice(0, -2)
    return parents.map((_, index) => parents.slice(0, index + 1).join('/'))
  }),
)

/** A folder or, if it has subfolders, each of its files: subfolders import ports, and entries import subfolders. */
const unitOf = (file: string): string => (foldersWithSubfolders.has(dirname(file)) ? file : dirname(file))

/** The cycles of imports among the units of these folders. Type imports count: a reader follows them, too. */
function cyclesIn(folders: string[]): string[] {
  const inside = new Set(files.filter(file => folders.some(folder => file.startsWith(`${folder}/`))))
  const imports = new Map<string, Set<string>>()
  for (const file of inside) {
    const from = unitOf(file)
    const targets = imports.get(from) ?? new Set()
    imports.set(from, targets)
    for (const { target } of importsOf(file))
      if (inside.has(target) && unitOf(target) !== from) targets.add(unitOf(target))
  }
  const cycles = new Set<string>()
  const done = new Set<string>()
  const visit = (unit: string, path: string[]): void => {
    const start = path.indexOf(unit)
    if (start >= 0) cycles.add([...path.slice(start), unit].join(' → '))
    if (start >= 0 || done.has(unit)) return
    for (const next of imports.get(unit) ?? []) visit(next, [...path, unit])
    done.add(unit)
  }
  for (const unit of imports.keys()) visit(unit, [])
  return [...cycles]
}

describe('layers', () => {
  it('reads the imports of every source file', () => {
    expect(files.length).toBeGreaterThan(40)
    expect(importsOf('src/widget/index.ts').map(({ target }) => target)).toContain('src/widget/loader/createHandle.ts')
  })

  it('keeps every file within what its folder may import', () => {
    expect(files.flatMap(violations)).toEqual([])
  })

  it('has no folders that import each other in a cycle, on the server', () => {
    expect(
      cyclesIn(['src/contract', 'src/sdk', 'src/conformance', 'src/doctor', 'src/platform', 'src/testing']),
    ).toEqual([])
  })

  it('keeps what tests share out of what is shipped', () => {
    const shared = files.flatMap(file => importsOf(file).filter(({ target }) => isTest(target)))
    expect(shared).toEqual([])
  })
})
