import { cleanFile, type FileInfo } from '../../files/cleanFile.ts'

/** Cleans a file that arrives in portions of that many bytes. */
export async function clean(file: Buffer, portion = 7): Promise<{ bytes: Buffer; info: FileInfo }> {
  async function* arriving() {
    for (let at = 0; at < file.length; at += portion) yield file.subarray(at, at + portion)
  }
  const steps = cleanFile(arriving())
  const parts: Buffer[] = []
  let step = await steps.next()
  for (; !step.done; step = await steps.next()) parts.push(step.value)
  return { bytes: Buffer.concat(parts), info: step.value }
}
