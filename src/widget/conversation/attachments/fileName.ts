/** The longest name, in code points. */
export const maxFileNameLength = 200

/** Separators of paths and lines, and characters that make a name look like another one. */
const refused = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Returns a name that the platform accepts. Of a long name the end stays, which tells the type. */
export function fileName(name: string): string {
  const clean = name.replace(refused, '_').trim()
  return [...clean].slice(-maxFileNameLength).join('').trim() || 'file'
}
