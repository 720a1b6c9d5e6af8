const cjk = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Hang}]$/u

/**
 * Whether an IME handles the key: Escape closes its list, and Enter confirms. Safari ends the composition before it sends such
 * a key. Only keyCode 229 identifies it.
 * Keyboards of Android also compose Latin words, and send an ordinary Enter meanwhile.
 */
export function isOfComposition({ isComposing, keyCode, target }: KeyboardEvent): boolean {
  const { value = '', selectionEnd } = target as HTMLTextAreaElement
  const isOfTouchKeyboard = keyCode === 13 && matchMedia('(pointer: coarse)').matches
  return keyCode === 229 || (isComposing && !(isOfTouchKeyboard && !cjk.test(value.slice(0, selectionEnd))))
}
