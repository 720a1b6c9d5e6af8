import { domainToASCII, domainToUnicode } from 'node:url'
import { fieldProblem } from './problem.ts'

const asciiLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * The key by which emails are compared: the local part in ASCII lower case and the domain in IDNA ASCII. `null` if the text
 * is not an email. Only A–Z are lower-cased in the local part: Unicode case mapping would turn the Kelvin sign into a k,
 * and so one person's address into another's.
 */
export function emailKey(email: string): string | null {
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at).replace(/[A-Z]/g, letter => letter.toLowerCase())
  if (at < 1 || !/^[\x21-\x3f\x41-\x7e]+$/.test(local)) return null
  const domain = domainKey(email.slice(at + 1))
  return domain === null ? null : `${local}@${domain}`
}

/**
 * The mailbox of an email, of which a visitor may write many spellings: `+tag` is left out, and the dots that Gmail ignores. `null`
 * if the local part is not made of plain characters.
 */
export function mailboxKey(key: string): string | null {
  const [, local = '', domain = ''] = /^([\w!#$%&'*/=?^`{|}~.-]+)(?:\+[^@]*)?@(.+)$/.exec(key) ?? []
  if (!/^[^.]+(?:\.[^.]+)*$/.test(local)) return null
  return `${/^(?:gmail|googlemail)\.com$/.test(domain) ? local.replaceAll('.', '') : local}@${domain}`
}

/** The key of an email in a request body. Throws a problem if it has none. */
export function requireEmailKey(email: string): string {
  const key = emailKey(email)
  if (key === null) throw fieldProblem('/email', 'invalid_format', 'Must be an email address such as ada@example.com.')
  return key
}

/** Checks the domain after its conversion, which may lengthen labels or produce an IP address. */
function domainKey(domain: string): string | null {
  const sent = domain.split('.')
  const converted = domainToASCII(domain)
  const labels = converted.split('.')
  if (converted.length > 253 || labels.length < 2 || labels.length !== sent.length) return null
  if (/^\d+$/.test(labels.at(-1) ?? '')) return null
  return labels.every((label, index) => isSameLabel(sent[index] ?? '', label)) ? converted : null
}

/**
 * Conversion may change case and composition, and nothing else. IDNA also maps the Kelvin sign, full-width letters
 * and similar ones to ASCII, and drops variation selectors. An address with them must not match the plain address.
 */
function isSameLabel(sent: string, label: string): boolean {
  if (label.length > 63 || !asciiLabel.test(label)) return false
  const lowered = lower(sent.replace(/[\u0e33\u0eb3\u0edc\u0edd]/g, decomposed))
  return lowered !== null && (lowered === label || lowered === domainToUnicode(label))
}

/**
 * IDNA writes these letters, SARA AM of Thai and AM, HO NO and HO MO of Lao, as two characters. Keyboards of these scripts
 * type one character, which looks the same.
 */
const decomposed = (letter: string): string => letter.normalize('NFKC')

function lower(text: string): string | null {
  let lowered = ''
  for (const character of text) {
    const small = character.toLowerCase()
    if (character > '\x7f' && /[\0-\x7f]/.test(small)) return null
    lowered += small
  }
  return lowered.normalize('NFC')
}
