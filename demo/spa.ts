import { fileURLToPath } from 'node:url'
import { build } from 'vite'

type Assets = Map<string, string>

/** The built files of the single-page app by path, including `index.html`. Vite builds them on the first call. */
export function createSpa(): (path: string) => Promise<string | undefined> {
  let built: Promise<Assets> | undefined
  return async path => {
    built ??= buildSpa().catch(error => {
      built = undefined
      throw error
    })
    return (await built).get(path)
  }
}

async function buildSpa(): Promise<Assets> {
  const result = await build({
    root: fileURLToPath(new URL('spa', import.meta.url)),
    base: '/spa/',
    configFile: false,
    logLevel: 'warn',
    // The page is served with a new nonce each time.
    html: { cspNonce: '{{nonce}}' },
    build: {
      // In memory, so that several servers of this folder do not interfere and no files are left behind.
      write: false,
      modulePreload: false,
      reportCompressedSize: false,
    },
  })
  const [output] = [result].flat()
  if (!output || !('output' in output)) throw new Error('Vite has built nothing')
  return new Map(output.output.map(file => [file.fileName, 'code' in file ? file.code : String(file.source)]))
}
