import type { Plugin } from 'vite'

/**
 * Escapes what is not ASCII. A browser reads a classic script in the page's charset unless its server names another one,
 * which many servers of static files don't: on a page in windows-1252 or Shift_JIS the chat would speak garbage.
 */
export const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escapeCodeUnit)
    }
  },
}

const escapeCodeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
