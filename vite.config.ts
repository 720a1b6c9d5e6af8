import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { minify } from 'terser'
import type { Plugin } from 'vite'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

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
  return { core: find('core'), panel: find('panel') }
}

const root = import.meta.dirname
const entries = ['widget', 'sdk', 'platform', 'contract']

/**
 * Writes `dist/types`: the declarations that the entries reach, and nothing that a user has not installed.
 * Valibot is inlined in the builds, so its declarations come along as a file; any other missing package fails the build.
 */
const declarations = (): Plugin => ({
  name: 'declarations',
  closeBundle() {
    const emitted = join(root, 'out/types')
    const target = join(root, 'dist/types')
    rmSync(target, { recursive: true, force: true })
    mkdirSync(emitted, { recursive: true })
    const project = join(emitted, 'tsconfig.json')
    const compilerOptions = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: '.' }
    const files = entries.map(entry => join(root, 'src', entry, 'index.ts'))
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
      if (specifier.startsWith('@preact/signals')) return specifier
      if (!specifier.startsWith('.')) throw new Error(`src/${file} shows users a type of ${specifier}`)
      write(join(dirname(file), specifier).replace(/\.tsx?$/, '.d.ts'))
      return specifier.replace(/\.tsx?$/, '.js')
    }
    for (const entry of entries) write(`${entry}/index.d.ts`)
    writeFileSync(join(target, 'valibot.d.ts'), readFileSync(join(root, 'node_modules/valibot/dist/index.d.mts')))
  },
})

const coreStage = join(import.meta.dirname, 'src/widget/coreStage.ts')

/** The panel takes the signals from core instead of from a third file. */
const signalsFromCore: Plugin = {
  name: 'signals-from-core',
  enforce: 'pre',
  resolveId: (id, importer = '') =>
    id === '@preact/signals-core' && /node_modules|widget\/ui/.test(importer) ? coreStage : null,
}

/** Assigning what a page has frozen on `Object.prototype` throws, and nobody here turns a signal into text. */
const frozenPages: Plugin = {
  name: 'frozen-pages',
  transform(code, id) {
    if (!id.includes('/@preact/signals-core/')) return null
    const less = code.replace(
      /\w+\.prototype\.(valueOf|toString|toJSON)=function\(\)\{return this\.value(\+"")?\};?/g,
      '',
    )
    if (less === code) throw new Error('The signals no longer look as they did: see what they assign to prototypes')
    return less
  },
}

/** The stages' JSX as calls of `h`, since what the automatic runtime makes of it is longer. */
const jsxCalls: Plugin = {
  name: 'jsx-calls',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('.tsx') ? `import { h, Fragment } from 'preact';${code}` : null),
}

/**
 * Names that the stages alone use: none of the wire, of storage or of the script. The last ones are Preact's: for
 * components that are classes and for plugins, of which the panel has neither, and the ones it keeps to itself.
 */
const stageNames = new RegExp(
  `^(${[
    'advance|afresh|alone|bearer|botStatus|catchUp|caughtUp|claim|createMessageId|createVisitorSession|dismissEnded|dispose',
    'drop|ended|endSession|identity|leads|listMessages|loadOlder|lockName|markRead|mirror|newDay|newHere|onBearer|onBegin',
    'onConnection|onEnded|onEnter|onEvent|onLead|onStored|over|partial|patience|peek|pending|props|pump|renewal|renewToken',
    'retrieveBotFace|retrieveSession|retryAfterMs|retryBot|seatName|sendMessage|setConnection|setDraft|setOnline|setTyping|settle',
    'silenceMs|streamEvents|tellAll|transient|wake|wire|component(Did|Will)\\w+|debounceRendering|diffed',
    'forceUpdate|get(ChildContext|Derived\\w+|Snapshot\\w+)|setState|shouldComponentUpdate|vnode|__\\w*',
  ].join('|')})$`,
)

/** What the bundler's own minifier leaves, a second one takes: a hundredth of the bytes that visitors load. */
const terse: Plugin = {
  name: 'terse',
  async generateBundle({ format }, bundle) {
    // The same for all of them: core and panel share objects.
    const cache = {}
    const module = format === 'es'
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const compress = { passes: 4, pure_getters: true, keep_fargs: false, unsafe_arrows: true, lhs_constants: !module }
      const mangle = module ? { properties: { regex: stageNames, cache } } : true
      const { code } = await minify(chunk.code, { module, ecma: module ? 2020 : 2018, compress, mangle })
      chunk.code = code ?? chunk.code
    }
  },
}

/** The stages' second minifier names everything anew: names that were short before make it choose worse ones. */
const namesLater = { minify: { compress: true, mangle: false } } as const

const minified = { minify: true, comments: { annotation: false, jsdoc: false, legal: false } } as const

/** One build a mode; `npm run build` runs them in this order. */
const builds: Record<string, () => ViteUserConfig> = {
  // For bundlers: `import { createWidget } from 'natter'`, its parts left to the site's own bundle.
  widget: () => ({
    build: {
      outDir: 'dist/widget',
      minify: false,
      lib: { entry: { index: 'src/widget/index.ts' }, formats: ['es'] },
      rolldownOptions: {
        external: [/^preact(\/|$)/, /^@preact\//, 'idb-keyval'],
        output: { chunkFileNames: '[name]-[hash].js' },
      },
    },
  }),
  // What the script tag fetches when a visitor needs it.
  stages: () => ({
    plugins: [signalsFromCore, frozenPages, jsxCalls, terse],
    oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
    build: {
      outDir: `dist/${stagesFolder}`,
      lib: { entry: { core: coreStage, panel: 'src/widget/ui/index.tsx' }, formats: ['es'] },
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
  // The script tag itself: one classic script.
  script: () => ({
    plugins: [terse],
    define: { __STAGES__: JSON.stringify(stageFiles()) },
    build: {
      outDir: 'dist',
      emptyOutDir: false,
      // So old that browsers which the widget doesn't support can still read it, and find out so without an error.
      target: 'es2018',
      lib: { entry: 'src/widget/global.ts', formats: ['iife'], name: 'natterScript', fileName: () => 'natter.js' },
      rolldownOptions: { output: minified },
    },
  }),
  // For Node: everything but Node's own modules inlined.
  server: () => ({
    plugins: [declarations()],
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
  const { build, ...rest } = builds[mode]?.() ?? {}
  return {
    publicDir: false,
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
      // Else `import css from './x.css?inline'` is '' in happy-dom.
      css: true,
      projects: [
        {
          extends: true,
          test: {
            name: 'node',
            environment: 'node',
            include: ['src/**/*.test.ts', 'demo/**/*.test.ts'],
            exclude: ['src/widget/**'],
            // A hang is what it guards against, not a slow machine.
            testTimeout: 30_000,
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
