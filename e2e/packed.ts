import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './processes.ts'

const run = promisify(execFile)

/** The package as its users get it, installed in an empty folder. */
export interface Packed {
  folder: string
  tarball: string
  write(name: string, text: string): void
  /** Lends the folder a package of this repository. */
  lend(name: string): void
  remove(): void
}

/** `beside`: what the site depends on itself, each with its version. */
export async function installPacked(beside: Record<string, string> = {}): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-packed-'))
  const write: Packed['write'] = (name, text) => writeFileSync(join(folder, name), text)
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  const tarball = join(folder, stdout.trim())
  write('package.json', JSON.stringify({ private: true, type: 'module', dependencies: beside }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], { cwd: folder })
  return {
    folder,
    tarball,
    write,
    lend: name => symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
