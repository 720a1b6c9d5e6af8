// One character of hex or base64url, as it is or percent-encoded, once or twice.
const hex = '(?:[0-9a-fA-F]|%(?:25)?(?:3[0-9]|[46][1-6]))'
const base64url = '(?:[A-Za-z0-9_-]|%(?:25)?[2-7][0-9a-fA-F])'
// A cut-off token gives away most of itself, so what is shorter than one is taken out as well.
const hexDigits = 33
const hexToken = new RegExp(`(?:(?:[cv]|%(?:25)?[67][36])(?::|%(?:25)?3[aA]))?${hex}{${hexDigits},}`, 'g')
const organizationToken = new RegExp(`(?:o|%(?:25)?6[fF])(?:_|%(?:25)?5[fF])${base64url}{20,}`, 'g')
// They travel in no address: nobody percent-encodes one.
const webhookSecret = /whsec_[A-Za-z0-9+/]{16,}=*/g

/** Takes every token out of a text, percent-encoded ones too, and every secret of a webhook; linear in its length. */
export function redact(text: string): string {
  // Hardly a line holds any, and the expressions look at each character several times.
  if (!text.includes('%') && !text.includes('_') && !hasHexRun(text)) return text
  return [hexToken, organizationToken, webhookSecret].reduce((rest, secret) => rest.replace(secret, '[redacted]'), text)
}

/** Whether a text holds as many hex digits in a row as a token; of what breaks a run only the last character is looked at. */
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
