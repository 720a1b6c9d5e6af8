import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { declarations } from './src/build/declarations.ts'
import { integrity } from './src/build/integrity.ts'
import { lexerAlone } from './src/build/lexerAlone.ts'
import { notices } from './src/build/notices.ts'
import { coreStage, singlePlugins, stagePlugins, terse } from './src/build/stages.ts'
import { versioned } from './src/build/versioned.ts'

const { version, peerDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string
  peerDependencies: Record<string, string>
}
/** What only some platforms need: installed by those who do, imported where it is used. */
const optionalPeers = Object.keys(peerDependencies)
const stagesFolder = `natter@${version}`

/** The later stages' addresses, relative to the script's own: hashed, so that they may be cached for good. */
function stageFiles(): Record<string, string> {
  const files = readdirSync(new URL(`dist/${stagesFolder}/`, import.meta.url))
  const find = (stage: string) => {
    const file = files.find(name => name.startsWith(`${stage}-`) && name.endsWith('.js'))
    if (!file) throw new Error(`Build the stages first: there is no ${stage} in dist/${stagesFolder}`)
    return `${stagesFolder}/${file}`
  }
  return { core: find('core'), panel: find('panel'), placement: find('placement') }
}

/** The stages' second minifier names everything anew: names that were short before make it choose worse ones. */
const namesLater = { minify: { compress: true, mangle: false } } as const

const jsxPragma = { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } } as const

const minified = { minify: true, comments: { annotation: false, jsdoc: false, legal: false } } as const

/** Tests that need a PostgreSQL, which one runs for all of them. */
const onPostgres = ['src/platform/store/postgres/**/*.test.ts', 'src/**/*.postgres.test.ts']

/** One build a mode; `npm run build` runs them in this order. */
const builds: Record<string, () => ViteUserConfig> = {
  // For bundlers: `import { createWidget } from 'natter'`, its parts left to the site's own bundle.
  widget: () => ({
    plugins: [notices('widget')],
    build: {
      outDir: 'dist/widget',
      minify: false,
      lib: { entry: { index: 'src/widget/index.ts', element: 'src/widget/element.ts' }, formats: ['es'] },
      rolldownOptions: {
        external: [/^preact(\/|$)/, /^@preact\//, 'idb-keyval'],
        output: { chunkFileNames: '[name]-[hash].js' },
      },
    },
  }),
  // What the script tag fetches when a visitor needs it.
  stages: () => ({
    plugins: [...stagePlugins, notices('stages')],
    oxc: jsxPragma,
    build: {
      outDir: `dist/${stagesFolder}`,
      lib: {
        entry: { core: coreStage, panel: 'src/widget/ui/index.tsx', placement: 'src/widget/placement/index.ts' },
        formats: ['es'],
      },
      rolldownOptions: {
        // Core may export more than its entry says, so that it need not be split for the panel's sake.
        preserveEntrySignatures: 'allow-extension',
        output: {
          entryFileNames: '[name]-[hash:6].js',
          chunkFileNames: '[name]-[hash:6].js',
          ...minified,
          ...namesLater,
        },
      },
    },
  }),
  // The script tag itself: one classic script, under /natter.js and in its version's folder.
  script: () => ({
    plugins: [terse, versioned(stagesFolder)],
    define: { __STAGES__: JSON.stringify(stageFiles()) },
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      // So old that browsers which the widget doesn't support can still read it, and find out so without an error.
      target: 'es2018',
      lib: { entry: 'src/widget/scriptTag.ts', formats: ['iife'], name: 'natterScript', fileName: () => 'natter.js' },
      rolldownOptions: { output: minified },
    },
  }),
  // The script tag with all of its stages in it, for sites that want one integrity hash over everything.
  single: () => ({
    plugins: [...singlePlugins, notices('single'), integrity(stagesFolder)],
    oxc: jsxPragma,
    build: {
      outDir: `dist/${stagesFolder}`,
      emptyOutDir: false,
      target: 'es2018',
      lib: {
        entry: 'src/widget/singleFile.ts',
        formats: ['iife'],
        name: 'natterScript',
        fileName: () => 'natter.all.js',
      },
      rolldownOptions: { output: minified },
    },
  }),
  // For Node: everything but Node's own modules inlined.
  server: () => ({
    plugins: [declarations, notices('server')],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      outDir: 'dist',
      emptyOutDir: false,
      minify: false,
      target: 'node22',
      rolldownOptions: {
        input: {
          sdk: 'src/sdk/index.ts',
          platform: 'src/platform/index.ts',
          cli: 'src/platform/cli.ts',
          contract: 'src/contract/index.ts',
          sqliteWorker: 'src/platform/store/sqlite/worker.ts',
        },
        external: [/^node:/, ...builtinModules, ...optionalPeers],
        output: { entryFileNames: '[name].js', chunkFileNames: 'server/[name]-[hash].js' },
      },
    },
  }),
}

export default defineConfig(({ mode }) => {
  const { build, plugins = [], ...rest } = builds[mode]?.() ?? {}
  return {
    publicDir: false,
    plugins: [lexerAlone, ...plugins],
    ...rest,
    build: {
      target: 'es2022',
      // The styles are written for the browsers that the widget supports; nothing is to be translated.
      cssTarget: 'esnext',
      sourcemap: false,
      modulePreload: false,
      emptyOutDir: true,
      reportCompressedSize: false,
      ...build,
    },
    test: {
      // Much of what is tested waits, for processes and clocks: no core need stay free for the runner.
      maxWorkers: '100%',
      // Else `import css from './x.css?inline'` is '' in happy-dom.
      css: true,
      // A hang is what these guard against, not a slow machine.
      testTimeout: 30_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 15_000 } },
      // Else the tests would read with another lexer than visitors do.
      server: { deps: { inline: ['marked'] } },
      projects: [
        {
          extends: true,
          test: {
            name: 'node',
            environment: 'node',
            include: ['src/**/*.test.ts', 'demo/**/*.test.ts'],
            exclude: ['src/widget/**', ...onPostgres],
          },
        },
        {
          extends: true,
          test: {
            name: 'postgres',
            environment: 'node',
            include: onPostgres,
            globalSetup: 'src/platform/store/postgres/testingServer.ts',
          },
        },
        {
          extends: true,
          // Whole processes that are killed, starved and stalled: what they wait for is real.
          test: { name: 'faults', environment: 'node', include: ['e2e/faults/**/*.test.ts'], testTimeout: 120_000 },
        },
        {
          extends: true,
          test: { name: 'dom', environment: 'happy-dom', include: ['src/widget/**/*.test.{ts,tsx}'] },
        },
      ],
    },
  }
})
