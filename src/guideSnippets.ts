import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type CodeBlock, codeBlocks } from './guides.ts'

const root = resolve(import.meta.dirname, '..')

/** What the guides' readers have: the widget of the script tag, a client of the SDK and data of their own. */
const prelude = `
import type { createWidget as create, WidgetHandle } from 'natter'
import type { NatterClient } from 'natter/sdk'
declare global {
  const createWidget: typeof create
  const Natter: WidgetHandle
  const client: NatterClient
  const conversationId: string
  const pdf: Uint8Array<ArrayBuffer>
}`

/**
 * The TypeScript and JavaScript of a guide. Not what changes the types of React, which are not installed, and not files that
 * import one another: recipes.ts of the SDK, siteTests.long.spec.ts and frameworks.long.spec.ts check them together.
 */
const snippetsOf = (path: string): CodeBlock[] =>
  codeBlocks(path).filter(
    ({ language, code }) => ['ts', 'tsx', 'js'].includes(language) && !/from '\.|declare module 'react'/.test(code),
  )

/** Writes the snippets of guides into a folder, each as a module named after its guide. Returns their number. */
export function writeSnippets(folder: string, guides: string[]): number {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'prelude.ts'), prelude)
  const snippets = guides.flatMap(path => snippetsOf(path).map((block, index) => ({ ...block, path, index })))
  for (const { path, language, code, index } of snippets) {
    const name = `${path.replaceAll('/', '-')}-${index + 1}.${language === 'tsx' ? 'tsx' : 'ts'}`
    writeFileSync(join(folder, name), `${code}\nexport {}\n`)
  }
  return snippets.length
}

/** What TypeScript finds wrong in the snippets, with the strict settings of this repository. */
export async function snippetErrors(folder: string): Promise<string> {
  const compilerOptions = {
    noUnusedLocals: false,
    noPropertyAccessFromIndexSignature: false,
    experimentalDecorators: true,
  }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts', '*.tsx'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', '.'], { cwd: folder }).catch(
    error => error,
  )
  return stdout
}
