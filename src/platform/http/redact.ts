// Each matches one character, plain or percent-encoded once or twice.
const hex = '(?:[0-9a-fA-F]|%(?:25)?(?:3[0-9]|[46][1-6]))'
const base64url = '(?:[A-Za-z0-9_-]|%(?:25)?[2-7][0-9a-fA-F])'
// A truncated token still reveals most of itself, so shorter runs are redacted, too.
const hexDigits = 33
const hexToken = new RegExp(`(?:(?:[cv]|%(?:25)?[67][36])(?::|%(?:25)?3[aA]))?${hex}{${hexDigits},}`, 'g')
const organizationToken = new RegExp(`(?:o|%(?:25)?6[fF])(?:_|%(?:25)?5[fF])${base64url}{20,}`, 'g')
// Webhook secrets never appear in a URL, so they are not percent-encoded.
const webhookSecret = /whsec_[A-Za-z0-9+/]{16,}=*/g

/** Removes all tokens, including percent-encoded ones, and all webhook secrets from a text, in linear time. */
export function redact(text: string): string {
  // Most lines contain no secret, and this check is faster than the expressions.
  if (!text.includes('%') && !text.includes('_') && !hasHexRun(text)) return text
  return [hexToken, organizationToken, webhookSecret].reduce((rest, secret) => rest.replace(secret, '[redacted]'), text)
}

/** Whether a text contains a run of hex digits as long as a token. Looks at the end of a possible run first, to skip ahead. */
function hasHexRun(text: string): boolean {
  for (let end = hexDigits - 1; end < text.length; ) {
    let start = end
    while (start > end - hexDigits && isHexDigit(text.charCodeAt(start))) start -= 1
    if (start === end - hexDigits) return true
    end = start + hexDigits
  }
  return false
}

const isHexDigit = (code: number): boolean => (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 102)
