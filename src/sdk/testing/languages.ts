import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeFile } from '../../guides.ts'
import { flaskSite, goSite, phpSite, pythonServer, rubySite } from './languageServers.ts'

interface Row {
  /** A command that succeeds where the language can run the recipe. */
  check: [string, ...string[]]
  /** What has to be installed. */
  needs: string
  /** Files of the guide, and where they are put. */
  recipe: { name: string; path?: string }[]
  /** Files of the site around the recipe. */
  files: Record<string, string>
  /** A command to run once, before the site starts. */
  build?: [string, ...string[]]
  /** The site's program. It prints its port. */
  run: [string, ...string[]]
}

const rows = {
  Python: {
    check: ['python3', '--version'],
    needs: 'python3',
    recipe: [{ name: 'natter.py' }],
    files: { 'server.py': pythonServer },
    run: ['python3', 'server.py'],
  },
  Flask: {
    check: ['python3', '-c', 'import flask'],
    needs: 'python3 with the package flask',
    recipe: [{ name: 'natter.py' }, { name: 'app.py' }],
    files: flaskSite,
    run: ['python3', 'server.py'],
  },
  PHP: {
    check: ['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);'],
    needs: 'php with the extension curl',
    recipe: [{ name: 'natter.php' }, { name: 'index.php' }],
    files: phpSite,
    run: ['php', '-S', '127.0.0.1:0', 'index.php'],
  },
  Ruby: {
    check: ['ruby', '--version'],
    needs: 'ruby',
    recipe: [{ name: 'natter.rb' }, { name: 'config.ru' }],
    files: rubySite,
    run: ['ruby', 'server.rb'],
  },
  Go: {
    check: ['go', 'version'],
    needs: 'go',
    recipe: [{ name: 'natter.go', path: 'natter/natter.go' }, { name: 'routes.go' }],
    files: goSite,
    build: ['go', 'build', '-o', 'server', '.'],
    run: ['./server'],
  },
} satisfies Record<string, Row>

export type Language = keyof typeof rows
const languages = Object.keys(rows) as Language[]

export const isLanguage = (name: string): name is Language => name in rows

/** The languages whose recipes can run here. Says which cannot, because nothing else would tell. */
export function installedLanguages(): Language[] {
  const canRun = (language: Language) => {
    const [command, ...args] = rows[language].check
    return spawnSync(command, args).status === 0
  }
  const installed = languages.filter(canRun)
  for (const language of languages.filter(each => !installed.includes(each)))
    console.info(`The recipe for ${language} is not run: no ${rows[language].needs} here.`)
  return installed
}

/** Writes the files of a recipe into a folder, as they are in the guide, and starts a site around it. */
export async function startLanguage(
  parent: string,
  language: Language,
): Promise<{ port: number; close(): Promise<void> }> {
  const { recipe, files, build, run }: Row = rows[language]
  const folder = join(parent, language)
  const ofGuide = recipe.map(
    ({ name, path = name }) => [path, codeFile('src/sdk/docs/otherLanguages.md', name)] as const,
  )
  for (const [name, text] of [...Object.entries(files), ...ofGuide]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  if (build) execFileSync(build[0], build.slice(1), { cwd: folder, stdio: 'inherit' })
  const [command, ...args] = run
  const program = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(program, 'close')
  let output = ''
  const port = await new Promise<number>((resolve, reject) => {
    for (const stream of [program.stdout, program.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const [, found] = /port (\d+)|127\.0\.0\.1:(\d+)\) started/.exec(output)?.filter(Boolean) ?? []
        if (found) resolve(Number(found))
      })
    program.on('error', reject)
    ended.then(() => reject(new Error(`The recipe for ${language} ended:\n${output}`)))
  })
  return {
    port,
    async close() {
      program.kill()
      await ended
    },
  }
}
