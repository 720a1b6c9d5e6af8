/** The greatest difference, in seconds, between the time of a signature and now. Others may be replays. */
export const signatureToleranceSeconds = 300

/**
 * Headers that sign a webhook, in the form of Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over id, time and
 * body.
 */
export interface SignatureHeaders {
  'webhook-id': string
  /** Seconds since the epoch. */
  'webhook-timestamp': string
  'webhook-signature': string
}

/** Signs the body of a webhook with a secret `whsec_…`, or with several if the receiver may know either one. */
export async function signWebhook(
  secret: string | readonly string[],
  id: string,
  seconds: number,
  body: string,
): Promise<SignatureHeaders> {
  const signed = bytesOf(id, String(seconds), body)
  const macs = [secret].flat().map(async one => crypto.subtle.sign('HMAC', await keyOf(one), signed))
  const signatures = (await Promise.all(macs)).map(mac => `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

/**
 * Whether a webhook was signed with the secret within the tolerance (five minutes) of `nowSeconds`. One valid signature
 * of several is enough, so that a secret can be rotated without a gap.
 */
export async function isSignedWebhook(
  secret: string,
  headers: Pick<Headers, 'get'>,
  body: string,
  nowSeconds: number,
  toleranceSeconds: number = signatureToleranceSeconds,
): Promise<boolean> {
  const id = headers.get('webhook-id') ?? ''
  const seconds = headers.get('webhook-timestamp') ?? ''
  if (!id || !/^\d{1,12}$/.test(seconds)) return false
  if (Math.abs(nowSeconds - Number(seconds)) > toleranceSeconds) return false
  const key = await keyOf(secret)
  const signed = bytesOf(id, seconds, body)
  for (const signature of (headers.get('webhook-signature') ?? '').split(' ').slice(0, 10)) {
    const mac = signature.startsWith('v1,') ? decode(signature.slice(3)) : null
    // `crypto.subtle.verify` compares in constant time.
    if (mac && (await crypto.subtle.verify('HMAC', key, mac, signed))) return true
  }
  return false
}

const bytesOf = (...parts: string[]): Uint8Array<ArrayBuffer> => new TextEncoder().encode(parts.join('.'))

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith('whsec_') ? decode(secret.slice(6)) : null
  if (!bytes || bytes.length < 16) throw new TypeError('A webhook secret is whsec_ and at least 16 bytes in base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
  } catch {
    return null
  }
}
