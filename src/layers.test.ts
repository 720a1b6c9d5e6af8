import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/** What the loader writes to storage itself, before the core is there. */
const eagerStorage = ['entries', 'epoch', 'storedIdentity'].map(name => `src/widget/storage/${name}.ts`)

/** Who may import what: the first row whose folder holds the file counts. `types:` allows `import type` only. */
const table: { folder: string; may: string[] }[] = [
  { folder: 'src/build/', may: ['src/build/', 'vite', 'node:'] },
  { folder: 'src/contract/', may: ['src/contract/', 'valibot', '@valibot/to-json-schema'] },
  { folder: 'src/testing/', may: ['src/testing/', 'src/platform/', 'src/sdk/', 'types:@playwright/test', 'node:'] },
  { folder: 'src/sdk/', may: ['src/sdk/', 'src/contract/', 'valibot'] },
  {
    folder: 'src/platform/domain/',
    may: [
      'src/platform/domain/',
      'src/platform/search/',
      'src/platform/files/',
      'src/platform/texts/',
      'src/contract/',
      'types:src/platform/store/store.ts',
      'types:src/platform/bus/bus.ts',
      'types:src/platform/responders/responder.ts',
      'types:src/platform/clock.ts',
      'src/platform/mapInSlices.ts',
      ...['node:crypto', 'node:url'],
    ],
  },
  { folder: 'src/platform/search/', may: ['src/platform/search/'] },
  { folder: 'src/platform/texts/', may: ['src/platform/texts/'] },
  { folder: 'src/platform/webhooks/', may: ['src/platform/webhooks/', 'src/contract/', 'undici', 'node:'] },
  { folder: 'src/platform/secrets/', may: ['src/platform/secrets/', 'types:src/', 'node:crypto'] },
  ...['realtime', 'outbox'].map(folder => ({
    folder: `src/platform/${folder}/`,
    may: [
      `src/platform/${folder}/`,
      'src/platform/domain/',
      'src/contract/',
      'types:src/platform/store/store.ts',
      'types:src/platform/bus/bus.ts',
      'types:src/platform/clock.ts',
      ...(folder === 'outbox' ? ['src/platform/webhooks/', 'src/platform/secrets/'] : []),
    ],
  })),
  {
    folder: 'src/platform/store/',
    may: [
      'src/platform/store/',
      'src/platform/search/',
      'src/platform/mapInSlices.ts',
      'src/contract/',
      'types:src/platform/texts/english.ts',
      'types:src/platform/clock.ts',
      'pg',
      'node:',
    ],
  },
  { folder: 'src/platform/bus/', may: ['src/platform/bus/', 'src/contract/', '@nats-io/transport-node', 'node:'] },
  {
    folder: 'src/platform/responders/',
    may: [
      'src/platform/responders/',
      'src/platform/search/',
      'src/platform/texts/',
      'src/platform/webhooks/',
      'src/platform/secrets/',
      'src/contract/',
      'src/platform/clock.ts',
      ...['eventsource-parser', 'minisearch', 'openai', 'node:'],
    ],
  },
  ...['routes', 'middleware'].map(folder => ({
    folder: `src/platform/${folder}/`,
    may: [
      'src/platform/routes/',
      'src/platform/middleware/',
      'src/contract/',
      'src/platform/domain/',
      'src/platform/realtime/',
      'src/platform/mapInSlices.ts',
      'types:src/platform/store/store.ts',
      'types:src/platform/bus/bus.ts',
      'types:src/platform/clock.ts',
      ...['hono', '@hono/node-server', 'marked', 'pino', 'prom-client', 'valibot', 'node:'],
    ],
  })),
  {
    folder: 'src/platform/requestLimits/',
    may: [
      'src/platform/requestLimits/',
      'src/platform/middleware/',
      ...['deadline', 'fairQueue', 'requestContext'].map(file => `src/platform/store/${file}.ts`),
      'src/contract/',
      'types:src/platform/clock.ts',
    ],
  },
  {
    folder: 'src/platform/server/',
    may: [
      'src/platform/server/',
      'src/platform/middleware/',
      'src/platform/domain/problem.ts',
      'types:src/platform/platform.ts',
      '@hono/node-server',
      'node:',
    ],
  },
  {
    // It reads a tag as the widget does.
    folder: 'src/platform/doctor/',
    may: ['src/platform/', 'src/widget/diagnostics/explainOption.ts', 'src/widget/loader/parseOptions.ts'],
  },
  {
    folder: 'src/platform/',
    may: ['src/platform/', 'src/contract/', 'commander', 'hono', '@hono/node-server', 'pino', 'prom-client', 'node:'],
  },
  { folder: 'src/widget/environment/', may: ['src/widget/environment/', 'src/widget/loader/documentAccess.ts'] },
  { folder: 'src/widget/async/', may: ['src/widget/async/', 'types:src/widget/'] },
  ...['api', 'storage', 'i18n'].map(folder => ({
    folder: `src/widget/${folder}/`,
    may: [
      `src/widget/${folder}/`,
      'src/widget/async/',
      'types:src/contract/',
      'types:src/widget/',
      ...(folder === 'storage' ? ['idb-keyval', 'src/widget/api/guards.ts'] : []),
    ],
  })),
  {
    folder: 'src/widget/models/',
    may: [
      'src/widget/models/',
      'src/widget/async/',
      ...['epoch', 'anonymousSession', 'guards', 'storedIdentity', 'token'].map(
        file => `src/widget/storage/${file}.ts`,
      ),
      'src/widget/loader/checkContext.ts',
      'src/widget/loader/errors.ts',
      'types:src/contract/',
      'types:src/widget/',
      '@preact/signals-core',
    ],
  },
  {
    folder: 'src/widget/ui/',
    may: [
      'src/widget/ui/',
      'types:src/widget/models/',
      'src/widget/models/conversation/messageText.ts',
      'types:src/widget/app/createApp.ts',
      'src/widget/loader/color.ts',
      'src/widget/loader/documentAccess.ts',
      'src/widget/i18n/',
      'src/widget/styles/',
      'src/widget/markdown/index.ts',
      'src/contract/firstName.ts',
      'types:src/contract/',
      'preact',
      '@preact/signals',
      '@preact/signals-core',
    ],
  },
  {
    folder: 'src/widget/markdown/',
    may: [
      'src/widget/markdown/',
      'src/widget/ui/links.tsx',
      'src/widget/ui/IconButton.tsx',
      'src/widget/ui/nextTask.ts',
      'types:src/widget/i18n/',
      'src/widget/styles/',
      'preact',
      'marked',
    ],
  },
  {
    folder: 'src/widget/app/',
    may: [
      ...['app', 'environment', 'models', 'api', 'storage', 'i18n', 'styles', 'tabs', 'diagnostics'].map(
        name => `src/widget/${name}/`,
      ),
      'src/widget/loader/documentAccess.ts',
      'types:src/widget/loader/',
      'types:src/contract/',
      '@preact/signals-core',
    ],
  },
  {
    folder: 'src/widget/tabs/',
    may: ['src/widget/tabs/', 'src/widget/loader/documentAccess.ts', 'types:src/widget/', 'types:src/contract/'],
  },
  {
    folder: 'src/widget/displayMode/',
    may: [
      'src/widget/displayMode/',
      'src/widget/loader/documentAccess.ts',
      'src/widget/loader/natterChat.ts',
      'src/widget/styles/',
      'types:src/widget/loader/',
    ],
  },
  { folder: 'src/widget/diagnostics/', may: ['src/widget/diagnostics/', 'types:src/widget/loader/'] },
  {
    folder: 'src/widget/loader/',
    may: [
      'src/widget/loader/',
      ...eagerStorage,
      'src/widget/i18n/launcherStrings.ts',
      'src/widget/styles/',
      'types:src/widget/',
      'types:src/contract/',
    ],
  },
  { folder: 'src/widget/', may: ['src/widget/', 'types:src/contract/'] },
]

/** The entries and the loader reach every other part of the widget through `import()` only, and no framework at all. */
const eager = /^src\/widget\/(?:[^/]+\.tsx?|loader\/.*)$/
const lazy = ['app', 'models', 'api', 'storage', 'ui', 'tabs', 'markdown', 'displayMode', 'diagnostics'].map(
  folder => `src/widget/${folder}`,
)

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

function importsOf(file: string): Import[] {
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
  const row = table.find(({ folder }) => file.startsWith(folder))
  if (!row) return [`${file}: no row of the table holds this file`]
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

/** A folder or, if it has subfolders, each of its files: subfolders import ports, and entries import subfolders. */
function unitOf(file: string): string {
  const folder = dirname(file)
  return files.some(other => other.startsWith(`${folder}/`) && dirname(other) !== folder) ? file : folder
}

/** The cycles of imports among the units of these folders. Type imports count: a reader follows them, too. */
function cyclesIn(folders: string[]): string[] {
  const inside = files.filter(file => folders.some(folder => file.startsWith(`${folder}/`)))
  const imports = new Map<string, Set<string>>()
  for (const file of inside) {
    const from = unitOf(file)
    const targets = imports.get(from) ?? new Set()
    imports.set(from, targets)
    for (const { target } of importsOf(file))
      if (inside.includes(target) && unitOf(target) !== from) targets.add(unitOf(target))
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
    expect(cyclesIn(['src/contract', 'src/sdk', 'src/platform', 'src/testing'])).toEqual([])
  })

  it('keeps what tests share out of what is shipped', () => {
    const shared = files.flatMap(file => importsOf(file).filter(({ target }) => isTest(target)))
    expect(shared).toEqual([])
  })
})
