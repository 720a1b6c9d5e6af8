import type { Plugin } from 'vite'

/** Writes a copy of the script into its version's folder, which never changes, for sites that pin a version. */
export const versioned = (folder: string): Plugin => ({
  name: 'versioned',
  generateBundle(_, bundle) {
    const script = bundle['natter.js']
    if (script?.type !== 'chunk') throw new Error('There is no natter.js in the build of the script')
    const source = script.code.replaceAll(`${folder}/`, `../${folder}/`)
    this.emitFile({ type: 'asset', fileName: `${folder}/natter.js`, source })
  },
})
