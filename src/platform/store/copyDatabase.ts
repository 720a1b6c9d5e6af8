import { type CopyProgress, copyTables } from './moves/copyTables.ts'
import { wholeDatabase } from './moves/rowSelection.ts'
import { nameInErrors } from './nameInErrors.ts'
import { readAddress } from './postgres/address.ts'
import { connectToCopy } from './postgres/connectToCopy.ts'
import { fillTables } from './postgres/fillTables.ts'
import { openFileToCopy } from './sqlite/openFileToCopy.ts'

export interface CopyDatabaseOptions {
  /** The embedded store's file. Nothing may write to it during the copy. */
  from: string
  /** Address of an empty database. */
  to: string
  /** Called after each batch of a table. */
  onProgress: (progress: CopyProgress) => void
  /** Called with a line when another command has to end first. */
  onWait: (line: string) => void
}

/**
 * Copies the database of a file, completely or not at all, without changing the file. Reads each row back and compares
 * it. Resolves to the number of rows.
 */
export async function copyDatabase({ from, to, onProgress, onWait }: CopyDatabaseOptions): Promise<number> {
  const { name } = readAddress(to)
  const file = await nameInErrors(from, async () => openFileToCopy(from))
  try {
    const db = await nameInErrors(name, () => connectToCopy(to, onWait))
    try {
      return await fillTables(db, name, writer => copyTables(file.reader, writer, wholeDatabase, onProgress))
    } finally {
      await db.close()
    }
  } finally {
    file.close()
  }
}
