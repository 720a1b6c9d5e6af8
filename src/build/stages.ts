import { join } from 'node:path'
import { minify } from 'terser'
import type { Plugin } from 'vite'
import { leanPreact } from './leanPreact.ts'
import { leanSignals } from './leanSignals.ts'

export const coreStage = join(import.meta.dirname, '../widget/coreStage.ts')

/** The panel takes the signals from core instead of from a third file. */
const signalsFromCore: Plugin = {
  name: 'signals-from-core',
  enforce: 'pre',
  resolveId: (id, importer = '') =>
    id === '@preact/signals-core' && /node_modules|widget\/ui/.test(importer) ? coreStage : null,
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
    'drop|ended|endSession|heard|identity|leads|listMessages|loadOlder|lockName|markRead|mirror|newDay|newHere|onBearer|onBegin',
    'onConnection|onEnded|onEnter|onEvent|onLead|onRefused|onStored|over|partial|patience|pending|props|pump|renewal',
    'retrieveBotFace|retrieveSession|retryAfterMs|retryBot|seatName|sendMessage|setConnection|setDraft|setOnline|setTyping|settle',
    'streamEvents|tellAll|transient|wake|wire|component(Did|Will)\\w+|debounceRendering|diffed',
    'forceUpdate|get(ChildContext|Derived\\w+|Snapshot\\w+)|setState|shouldComponentUpdate|vnode|_[_a-zA-Z]\\w*',
  ].join('|')})$`,
)

/** What the bundler's own minifier leaves, a second one takes: a hundredth of the bytes that visitors load. */
export const terse: Plugin = {
  name: 'terse',
  async generateBundle(output, bundle) {
    // The same for all of them: core and panel share objects.
    const cache = {}
    const module = output.format === 'es'
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const compress = { passes: 4, pure_getters: true, keep_fargs: false, unsafe_arrows: true, lhs_constants: !module }
      const mangle = module ? { properties: { regex: stageNames, cache } } : true
      // The page may be of any charset, and a text that is all ASCII takes half the memory.
      const format = { ascii_only: true }
      const { code } = await minify(chunk.code, { module, ecma: module ? 2020 : 2018, compress, mangle, format })
      chunk.code = code ?? chunk.code
    }
  },
}

/** What the single file is made with. */
export const singlePlugins = [leanPreact, leanSignals, jsxCalls, terse]

/** All that makes the stages small. */
export const stagePlugins = [signalsFromCore, ...singlePlugins]
