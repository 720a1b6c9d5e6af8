import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** One of the settings that OWASP recommends. It takes 32 MiB while it runs; those with fewer passes take more. */
const cost = { logN: 15, r: 8, p: 3 }
const hashLength = 32

/** A password hash in the PHC string format: `$scrypt$ln=15,r=8,p=3$salt$hash`. */
const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

function hashWith(password: string, salt: Buffer, { logN, r, p }: typeof cost): Promise<Buffer> {
  const N = 2 ** logN
  // Keyboards may compose the same letter in different ways.
  return derive(password.normalize('NFKC'), salt, hashLength, { N, r, p, maxmem: 256 * N * r })
}

const toText = (salt: Buffer, hash: Buffer): string =>
  `$scrypt$ln=${cost.logN},r=${cost.r},p=${cost.p}$${toBase64(salt)}$${toBase64(hash)}`

/** The form in which a password is stored. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return toText(salt, await hashWith(password, salt, cost))
}

/** What a password is compared with if there is none. It equals no hash. */
const decoy = toText(Buffer.alloc(16), Buffer.alloc(hashLength))

/** Whether a password is the stored one. Without one it takes the same time, and is wrong. */
export async function verifyPassword(password: string, stored: string = decoy): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = form.exec(stored) ?? []
  if (hash === '') throw new Error('A stored password hash cannot be read.')
  const expected = Buffer.from(hash, 'base64')
  const found = await hashWith(password, Buffer.from(salt, 'base64'), {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
  })
  return timingSafeEqual(found, expected)
}
