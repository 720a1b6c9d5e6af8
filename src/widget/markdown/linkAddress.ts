import { decodeEntities } from './decodeEntities.ts'

/** Returns the address of a link, or `undefined` if its scheme is not allowed. Such a link is shown as text. */
export function parseLinkAddress(href: string): string | undefined {
  const address = decodeEntities(href)
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(address) ? address : undefined
}

/** Returns the address of an image, or `undefined` if its scheme is not allowed. */
export function parseImageAddress(href: string): string | undefined {
  const address = decodeEntities(href)
  return /^https?:\/\//i.test(address) ? address : undefined
}
