import type { Plugin } from 'vite'

/**
 * Writes the documentation beside the scripts of its pages, as static files. Its renderer is loaded when it is needed: the
 * configuration of Vite is read by every test run.
 */
export const docs: Plugin = {
  name: 'docs',
  async config() {
    const { searchSections } = await import('./renderDocs.ts')
    return { define: { __SECTIONS__: JSON.stringify(searchSections()) } }
  },
  async generateBundle(_, bundle) {
    const { renderDocs } = await import('./renderDocs.ts')
    const codeOf = (name: string) => {
      const script = bundle[name]
      if (script?.type !== 'chunk') throw new Error(`There is no ${name} in the build of the documentation`)
      return script.code
    }
    const files = renderDocs({ 'docs.js': codeOf('docs.js'), 'search.js': codeOf('search.js') })
    for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source })
  },
}
