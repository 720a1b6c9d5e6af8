import { readAddress } from './address.ts'
import { connect } from './connection.ts'
import { connectDirectly, type DirectConnection, lockMigrations } from './directConnection.ts'
import { ensureSchema } from './ensureSchema.ts'

/** The name of the command's connections on the server. */
export const copyApplication = 'natter copy'

/** Creates missing tables, and connects for a command that copies rows. One copy or migration at a time works on a database: the others wait. */
export async function connectToCopy(url: string, onWait: (line: string) => void): Promise<DirectConnection> {
  const { name } = readAddress(url)
  const store = await connect(url)
  await ensureSchema(store).finally(store.close)
  const db = await connectDirectly(url, copyApplication)
  try {
    await lockMigrations(db, () => onWait(`another command works on ${name}: waiting for it`))
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
