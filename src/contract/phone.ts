// Imports nothing: the threads of a database normalize searches.

/** Characters that only lay text out. Phones that are copied from contacts on Windows or Apple devices have them. */
const layout = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const hyphens = /[\u2010-\u2015\u2212]/g
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g

/** Longer texts are refused before they are normalized. Each character takes the place of at most a few. */
export const maxRawPhoneLength = 200

/** A phone number in ASCII, as far as there are equal characters. Texts that are no phone number become others. */
export const plainPhone = (text: string): string =>
  text.length > maxRawPhoneLength
    ? text
    : text
        .replace(layout, '')
        .normalize('NFKC')
        .replace(hyphens, '-')
        .replace(arabicDigits, digit => String(digit.charCodeAt(0) & 15))
