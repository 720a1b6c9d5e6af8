import { hash, randomBytes } from 'node:crypto'

/** A new token. Its owner gets the token once; only the hash is stored. */
export interface MintedToken {
  token: string
  hash: string
}

/** The only form in which a token is stored, compared or passed on: SHA-256 as hex. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')

const minted = (token: string): MintedToken => ({ token, hash: hashToken(token) })

/** `c:` and 32 bytes of the system's CSPRNG as hex. */
export const mintContactToken = (): MintedToken => minted(`c:${randomBytes(32).toString('hex')}`)

/** `v:` and 32 bytes of the system's CSPRNG as hex. */
export const mintVisitorToken = (): MintedToken => minted(`v:${randomBytes(32).toString('hex')}`)

/** 32 bytes of the system's CSPRNG as hex, for a member's session, an invitation or the link in an email. The log redacts what looks so. */
export const mintHexToken = (): MintedToken => minted(randomBytes(32).toString('hex'))
export const memberTokenPattern = /^[0-9a-f]{64}$/

/** `o_` and 32 bytes of the system's CSPRNG as base64url. */
export const mintOrganizationToken = (): MintedToken => minted(`o_${randomBytes(32).toString('base64url')}`)

/** The number of characters of an organization token that are stored in the clear, so that people can tell tokens apart. */
export const tokenPrefixLength = 10

/**
 * Creates a secret that signs a bot's webhooks: `whsec_` and 32 bytes of the system's CSPRNG as base64 (Standard Webhooks).
 */
export const mintWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
