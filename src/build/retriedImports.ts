import type { Plugin } from 'vite'

/**
 * Makes the chunks import each other by the script's own function (`loader/chunks.ts`), which fetches a file from
 * another address if that fails. A browser that remembers a failed static import would never fetch it again.
 */
export const retriedImports: Plugin = {
  name: 'retried-imports',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk') continue
      const names: string[] = []
      const files: string[] = []
      const code = file.code
        .replace(/\bimport\s*(\{[^}]*\})\s*from\s*(["'`]\.\/[^"'`]+["'`]);/g, (_, imported: string, name: string) => {
          names.push(imported.replaceAll(' as ', ':'))
          files.push(name)
          return ''
        })
        .replace(/\bimport\((["'`]\.\/[^"'`]+["'`])\)/g, 'natterImport($1)')
      if (code === file.code) continue
      // All at once, as static imports are fetched.
      const imports = names[0] ? `const[${names}]=await Promise.all([${files}].map(natterImport));` : ''
      file.code = `const natterImport=file=>window[Symbol.for("natter.import")](file,import.meta.url);${imports}${code}`
    }
  },
}
