import { fileURLToPath } from 'node:url'
import { build } from 'vite'

type Assets = Map<string, string>

/** The single-page app's built files by their paths, `index.html` among them; built by Vite when first asked for. */
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
    // The page is served with another one each time.
    html: { cspNonce: '{{nonce}}' },
    build: {
      // Into memory: several servers of one folder don't disturb each other, and nothing is left behind.
      write: false,
      modulePreload: false,
      reportCompressedSize: false,
    },
  })
  const [output] = [result].flat()
  if (!output || !('output' in output)) throw new Error('Vite has built nothing')
  return new Map(output.output.map(file => [file.fileName, 'code' in file ? file.code : String(file.source)]))
}
