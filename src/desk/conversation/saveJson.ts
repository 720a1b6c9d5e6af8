/** Saves a value as a file of the member's computer. */
export function saveJson(name: string, value: unknown): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Safari reads it later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
