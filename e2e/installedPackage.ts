import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './processes.ts'

const run = promisify(execFile)

/** The packed package, installed in an empty folder. */
export interface InstalledPackage {
  folder: string
  tarball: string
  write(name: string, text: string): void
  /** Links a package from this repository's `node_modules` into the folder. */
  linkDependency(name: string): void
  remove(): void
}

/** `dependencies`: what the site depends on besides Natter, each with its version. */
export async function installPackage(dependencies: Record<string, string> = {}): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-packed-'))
  const write: InstalledPackage['write'] = (name, text) => writeFileSync(join(folder, name), text)
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root })
  const tarball = join(folder, stdout.trim())
  write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }))
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], { cwd: folder })
  return {
    folder,
    tarball,
    write,
    linkDependency(name) {
      const link = join(folder, 'node_modules', name)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(join(root, 'node_modules', name), link)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
