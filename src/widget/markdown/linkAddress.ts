import { decodeEntities } from './decodeEntities.ts'

/** The address that a link may open, or undefined where its scheme is not allowed: such a link is shown as text. */
export function parseLinkAddress(href: string): string | undefined {
  const address = decodeEntities(href)
  return /^(?:https?:\/\/|mailto:)/i.test(address) ? address : undefined
}

/** The address that a picture may be fetched from, or undefined. */
export function parseImageAddress(href: string): string | undefined {
  const address = decodeEntities(href)
  return /^https?:\/\//i.test(address) ? address : undefined
}
