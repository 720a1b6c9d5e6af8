/**
 * Whether an IME handles the key: Escape closes its list, and Enter confirms. Safari ends the composition before it sends such
 * a key. Only keyCode 229 identifies it.
 */
export const isOfComposition = ({ isComposing, keyCode }: KeyboardEvent): boolean => isComposing || keyCode === 229
