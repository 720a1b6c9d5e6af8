import type { Plugin } from 'vite'

/**
 * Lets a chunk that failed to load be fetched again from another address: some browsers remember a failed import by its URL,
 * for as long as the page lives.
 */
export const retriedImports: Plugin = {
  name: 'retried-imports',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue
      const code = file.code.replace(/\bimport\((["'`]\.\/[^"'`]+["'`])\)/g, 'natterImport($1)')
      if (code === file.code) continue
      file.code = `const natterImport=url=>import(url).catch(()=>import(url+"?"+Date.now()));${code}`
    }
  },
}
