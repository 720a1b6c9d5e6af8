import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { rolldownVersion } from 'vite'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { asciiOnly } from './src/build/asciiOnly.ts'
import { declarations } from './src/build/declarations.ts'
import { docs } from './src/build/docs/docs.ts'
import { integrity } from './src/build/integrity.ts'
import { notices } from './src/build/notices.ts'
import { retriedImports } from './src/build/retriedImports.ts'
import { versioned } from './src/build/versioned.ts'
import { localeFiles } from './src/widget/i18n/locales.ts'
import type { ChunkFiles } from './src/widget/loader/chunks.ts'

// The tests start many Node processes and workers, which inherit this. Compiled once, the program starts in half of the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/node')

const { version, peerDependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string
  peerDependencies: Record<string, string>
}
/** What only some platforms need: installed by those who do, imported where it is used. */
const optionalPeers = Object.keys(peerDependencies)
const chunksFolder = `natter@${version}`

/** The chunks that the script fetches; they fetch the others. */
const chunkEntries = {
  core: 'src/widget/app/createApp.ts',
  panel: 'src/widget/ui/mountPanel.tsx',
  transcript: 'src/widget/ui/Transcript.tsx',
  more: 'src/widget/ui/more.ts',
  displayMode: 'src/widget/displayMode/index.ts',
}

const languages = Object.keys(localeFiles)

/** The files of all languages have one hash in their names, so that the script need not hold one for each. */
function hashLocales(): string {
  const hash = createHash('sha256').update(rolldownVersion)
  for (const language of languages)
    hash.update(readFileSync(new URL(`src/widget/i18n/locales/${language}.ts`, import.meta.url)))
  return hash.digest('base64url').slice(0, 8)
}

/** The addresses of the chunks, relative to the script's own: their names hold a hash, so they may be cached forever. */
function chunkFiles(): ChunkFiles {
  const files = readdirSync(new URL(`dist/${chunksFolder}/`, import.meta.url))
  const find = (chunk: string) => {
    const file = files.find(name => name.startsWith(`${chunk}-`) && name.endsWith('.js'))
    if (!file) throw new Error(`Build the chunks first: dist/${chunksFolder} has no ${chunk}-*.js`)
    return `${chunksFolder}/${file}`
  }
  return {
    core: find('core'),
    panel: find('panel'),
    next: [find('transcript'), find('more')],
    displayMode: find('displayMode'),
    locales: find('locales'),
    language: find('de').replace('/de-', '/*-'),
    languages: languages.join(' '),
  }
}

const minified = { minify: true, comments: { annotation: false, jsdoc: false, legal: false } } as const

/** `npm run test:all` also runs what waits in real time or takes long: `*.long.test.ts`, and each scaled test in its long form. */
const notInGate = process.env['NATTER_TEST_LONG'] === '1' ? [] : ['**/*.long.test.{ts,tsx}']

/** Tests that need a PostgreSQL, which one runs for all of them. */
const onPostgres = [
  'src/platform/store/postgres/**/*.test.ts',
  'src/**/*.postgres.test.ts',
  'src/**/*.postgres.long.test.ts',
]

/** Tests of the widget that need a document. A single file elsewhere asks for one with `// @vitest-environment happy-dom`. */
const inDocument = [
  'src/desk/**/*.test.tsx',
  'src/widget/*.test.ts',
  'src/widget/{app,frameworks,loader,markdown,notifications,ui}/**/*.test.{ts,tsx}',
]

/**
 * Tests that need a process of their own: where @hono/node-server has replaced `Request` and `Response`, where nobody may have
 * done so, and where the heap is searched or measured: what earlier files have left there changes its size.
 */
const alone = [
  'demo/**/*.test.ts',
  'src/testing/testPlatform.test.ts',
  'src/testing/heapSnapshot.test.ts',
  'src/platform/integration/slowReaders.test.ts',
  'src/platform/integration/fuzz/requests.test.ts',
]

/** One build a mode; `npm run build` runs them in this order. */
const builds: Record<string, () => ViteUserConfig> = {
  // For bundlers: `import { createWidget } from 'natter'`. Preact and signals are inside, as published: shared with a site
  // that uses other versions of them, one of the two copies of @preact/signals would render the signals of the other.
  widget: () => ({
    plugins: [notices('widget')],
    build: {
      outDir: 'dist/widget',
      minify: false,
      lib: {
        entry: {
          index: 'src/widget/index.ts',
          element: 'src/widget/element.ts',
          react: 'src/widget/frameworks/react.ts',
          vue: 'src/widget/frameworks/vue.ts',
          svelte: 'src/widget/frameworks/svelte.ts',
        },
        formats: ['es'],
      },
      rolldownOptions: {
        external: ['idb-keyval', 'react', 'vue', /^svelte/],
        // Rolldown keeps `'use client'`, which only has to stand in an entry, and would warn of it.
        checks: { moduleLevelDirective: false },
        output: { chunkFileNames: '[name]-[hash].js' },
      },
    },
  }),
  // The chunks that the script tag fetches when a visitor needs them.
  chunks: () => ({
    plugins: [notices('chunks'), retriedImports],
    build: {
      outDir: `dist/${chunksFolder}`,
      lib: {
        entry: chunkEntries,
        formats: ['es'],
      },
      rolldownOptions: {
        // Core and panel also export what other chunks import from them.
        preserveEntrySignatures: 'allow-extension',
        output: {
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: ({ facadeModuleId }) =>
            facadeModuleId?.includes('/i18n/locales/') ? `[name]-${hashLocales()}.js` : '[name]-[hash].js',
          // A chunk has all that its entry imports and no chunk before it has. A closed chat needs no Preact.
          codeSplitting: {
            groups: [
              { name: 'core', test: /\/app\/createApp\.ts$|\/styles\/\w+\.ts$/ },
              { name: 'panel', test: /\/ui\/mountPanel\.tsx$/ },
              { name: 'transcript', test: /\/ui\/Transcript\.tsx$/ },
              { name: 'more', test: /\/ui\/more\.ts$/ },
            ],
          },
          ...minified,
        },
      },
    },
  }),
  // The script tag itself: one classic script, under /natter.js and in its version's folder.
  script: () => ({
    plugins: [asciiOnly, versioned(chunksFolder)],
    define: { __CHUNK_FILES__: JSON.stringify(chunkFiles()) },
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      // Browsers that the widget does not support must be able to parse it, to find that out without an error.
      target: 'es2018',
      lib: { entry: 'src/widget/script.ts', formats: ['iife'], name: 'natterScript', fileName: () => 'natter.js' },
      rolldownOptions: { output: minified },
    },
  }),
  // The script with all of its chunks inside, for sites that want one integrity hash over everything.
  single: () => ({
    plugins: [notices('single'), asciiOnly, integrity(chunksFolder)],
    build: {
      outDir: `dist/${chunksFolder}`,
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
  // The desk that the platform serves at /desk.
  desk: () => ({
    root: 'src/desk',
    base: '/desk/',
    plugins: [notices('desk')],
    build: {
      outDir: join(import.meta.dirname, 'dist/desk'),
      // The policy of the platform allows no `data:` in scripts and styles.
      assetsInlineLimit: 0,
    },
  }),
  // The documentation that the platform serves at /docs.
  docs: () => ({
    plugins: [docs, notices('docs')],
    build: {
      outDir: 'dist/docs',
      lib: {
        entry: { docs: 'src/build/docs/browser/docs.ts', search: 'src/build/docs/browser/search.ts' },
        formats: ['es'],
      },
      rolldownOptions: {
        // Nearly all of this build is the work of its plugin.
        checks: { pluginTimings: false },
        output: { entryFileNames: '[name].js', ...minified },
      },
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
          testing: 'src/testing/index.ts',
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
    // The list of files would hide the address that `npm start` prints.
    logLevel: 'warn',
    plugins,
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
      // Much of what is tested waits, for processes and clocks: more workers than cores keep two cores busy.
      maxWorkers: Math.max(4, availableParallelism()),
      // Else `import css from './x.css?inline'` is '' in happy-dom.
      css: true,
      // A hang is what these guard against, not a slow machine.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 15_000 } },
      projects: [
        {
          extends: true,
          test: {
            name: 'node',
            environment: 'node',
            include: ['src/**/*.test.ts'],
            exclude: ['src/widget/**', ...onPostgres, ...alone, ...notInGate],
            isolate: false,
          },
        },
        {
          extends: true,
          test: { name: 'alone', environment: 'node', include: alone, exclude: notInGate },
        },
        {
          extends: true,
          test: {
            name: 'postgres',
            environment: 'node',
            include: onPostgres,
            exclude: notInGate,
            isolate: false,
            globalSetup: 'src/platform/testing/postgresSetup.ts',
            setupFiles: 'src/platform/testing/postgresCleanup.ts',
          },
        },
        {
          extends: true,
          // Whole processes that are killed, starved and stalled: what they wait for is real.
          test: {
            name: 'faults',
            environment: 'node',
            include: ['e2e/faults/**/*.test.ts'],
            exclude: notInGate,
            testTimeout: 120_000,
          },
        },
        {
          extends: true,
          // The files share modules and globals: one that changes either undoes it.
          test: {
            name: 'widget',
            environment: 'node',
            isolate: false,
            include: ['src/widget/**/*.test.ts'],
            exclude: [...inDocument, ...notInGate],
          },
        },
        {
          extends: true,
          // A file has a document and globals of its own, without a process of its own.
          test: { name: 'dom', environment: 'happy-dom', pool: 'vmForks', include: inDocument, exclude: notInGate },
        },
      ],
    },
  }
})
