import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from './fixtures.ts'
import { root } from './processes.ts'

/** A file of the build, and all files that it imports, also later. */
function filesOf(file: string, found = new Set<string>()): Set<string> {
  // Comments of libraries name files that are not in the build.
  if (found.has(file) || !existsSync(file)) return found
  found.add(file)
  const code = readFileSync(file, 'utf8')
  const imports = /^(?:import|export)\b[^'"]*?["'](\.[^'"]+\.js)["']|\bimport\(["'`](\.[^"'`]+\.js)["'`]\)/gm
  for (const [, eager, lazy] of code.matchAll(imports)) filesOf(join(dirname(file), eager ?? lazy ?? ''), found)
  return found
}

test('what only tests of sites need is in natter/testing, and the SDK shares no code with the platform', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>
  }
  const entries = Object.entries(exports).flatMap(([name, target]) => {
    const file = typeof target === 'string' ? target : target.default
    return file.endsWith('.js') ? [[name, [...filesOf(join(root, file))]] as const] : []
  })
  const codeOf = (files: readonly string[]) => files.map(file => readFileSync(file, 'utf8')).join('\n')
  const withTests = entries.filter(([, files]) => codeOf(files).includes('The page still holds')).map(([name]) => name)
  expect(withTests).toEqual(['./testing'])
  const sdk = entries.find(([name]) => name === './sdk')?.[1] ?? []
  expect(codeOf(sdk)).toContain('createClient')
  expect(codeOf(sdk)).not.toMatch(/from ["']node:|createPlatform/)
  expect(codeOf([...filesOf(join(root, 'dist/cli.js'))])).not.toContain('The page still holds')
})
