import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const dist = join(import.meta.dirname, '../../dist')

/** Writes `dist/integrity.json`: the `integrity` attribute for each file of a version's folder. */
export const integrity = (folder: string): Plugin => ({
  name: 'integrity',
  closeBundle() {
    const hashes = readdirSync(join(dist, folder)).map(file => {
      const hash = createHash('sha384').update(readFileSync(join(dist, folder, file)))
      return [`${folder}/${file}`, `sha384-${hash.digest('base64')}`]
    })
    writeFileSync(join(dist, 'integrity.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`)
  },
})
