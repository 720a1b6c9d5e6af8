import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Plugin } from 'vite'

const root = join(import.meta.dirname, '../..')
/** The entries of `exports` in package.json, as files in `src`. */
const entries = [
  ...['index', 'element', 'frameworks/react', 'frameworks/vue', 'frameworks/svelte'].map(entry => `widget/${entry}`),
  ...['sdk', 'platform', 'contract', 'testing'].map(folder => `${folder}/index`),
]
/** What users of an entry have installed. */
const installed = /^(@preact\/signals.*|@playwright\/test|react|vue|svelte\/store)$/

/**
 * Writes `dist/types`: all declarations that the entries refer to. They may import only packages that users install.
 * Valibot is inlined in the builds, so its declarations are copied as a file. Any other missing package fails the build.
 */
export const declarations: Plugin = {
  name: 'declarations',
  closeBundle() {
    const emitted = join(root, 'out/types')
    const target = join(root, 'dist/types')
    rmSync(target, { recursive: true, force: true })
    mkdirSync(emitted, { recursive: true })
    const project = join(emitted, 'tsconfig.json')
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      rootDir: root,
      outDir: '.',
    }
    const files = entries.map(entry => join(root, 'src', `${entry}.ts`))
    writeFileSync(
      project,
      JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }),
    )
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], { cwd: root, stdio: 'inherit' })
    const done = new Set<string>()
    const write = (file: string): void => {
      if (done.has(file)) return
      done.add(file)
      const text = readFileSync(join(emitted, 'src', file), 'utf8').replace(
        /(from |import\()(['"])([^'"]+)\2/g,
        (_, before: string, quote: string, specifier: string) => before + quote + resolveType(file, specifier) + quote,
      )
      mkdirSync(dirname(join(target, file)), { recursive: true })
      writeFileSync(join(target, file), text)
    }
    const resolveType = (file: string, specifier: string): string => {
      if (specifier === 'valibot') return `./${relative(dirname(file), 'valibot.js')}`.replace('./..', '..')
      if (installed.test(specifier)) return specifier
      if (!specifier.startsWith('.')) throw new Error(`src/${file} shows users a type of ${specifier}`)
      write(join(dirname(file), specifier).replace(/\.tsx?$/, '.d.ts'))
      return specifier.replace(/\.tsx?$/, '.js')
    }
    for (const entry of entries) write(`${entry}.d.ts`)
    writeFileSync(join(target, 'valibot.d.ts'), readFileSync(join(root, 'node_modules/valibot/dist/index.d.mts')))
  },
}
