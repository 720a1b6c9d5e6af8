import type { Plugin } from 'vite'

/**
 * Escapes all characters that are not ASCII. Without a charset in the response headers, a browser decodes a classic script
 * in the page's charset. In a page in windows-1252 or Shift_JIS the texts would be unreadable.
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
