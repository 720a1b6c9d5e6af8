const signatureAt = 36

/** The size that an ICC profile declares in its first bytes; 0 if they are no beginning of a profile. */
export function declaredProfileBytes(start: Buffer): number {
  const isProfile = start.toString('latin1', signatureAt, signatureAt + 4) === 'acsp'
  return isProfile ? start.readUInt32BE(0) : 0
}

/** How many bytes of a file decide whether it is the beginning of a profile. */
export const profileStartBytes = signatureAt + 4

/** Whether these are the bytes of an ICC profile and nothing else. */
export const isColorProfile = (bytes: Buffer): boolean =>
  bytes.length > profileStartBytes && declaredProfileBytes(bytes) === bytes.length
