const signatureAt = 36

/** The size that an ICC profile declares in its first bytes; `undefined` if they are no beginning of a profile. */
export function declaredProfileBytes(start: Buffer): number | undefined {
  const isProfile = start.toString('latin1', signatureAt, signatureAt + 4) === 'acsp'
  return isProfile ? start.readUInt32BE(0) : undefined
}

/** How many bytes of a file decide whether it is the beginning of a profile. */
export const profileStartBytes = signatureAt + 4
