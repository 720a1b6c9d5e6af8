/** The longest name, in code points. */
export const maxFileNameLength = 200

/** Returns a name that the platform accepts. Of a long name the end stays, which tells the type. */
export function fileName(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Surrogate}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '_').trim()
  return [...clean].slice(-maxFileNameLength).join('').trim() || 'file'
}
