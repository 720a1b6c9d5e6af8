import { mkdir, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Attachment } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { createAttachments } from '../domain/attachments.ts'
import type { ContactExport, ContactScope, Store } from '../store/store.ts'

/** The name of a saved file. Not the name that its sender has chosen: two files may have the same. */
const savedName = ({ id, name }: Attachment): string => `${id}${extname(name)}`

export const attachmentsOf = ({ messages }: ContactExport): Attachment[] =>
  messages.flatMap(({ attachments = [] }) => attachments)

/**
 * Saves the files of an exported conversation in a folder, which it creates if needed. Returns the export with the names of
 * the saved files. Throws if a file is erased meanwhile.
 */
export async function exportFiles(
  { store, clock }: { store: Store; clock: Clock },
  scope: ContactScope,
  exported: ContactExport,
  folder: string,
): Promise<ContactExport> {
  const { read } = createAttachments({ store, clock })
  const conversation = await store.findBotConversation(scope, { contactId: scope.contactId })
  const conversationId = conversation?.id ?? ''
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const attachment of attachmentsOf(exported)) {
    const parts = read({ scope, conversationId }, { conversationId, upload: attachment })
    await writeFile(join(folder, savedName(attachment)), parts, { mode: 0o600 })
  }
  const withNames = (attachments: Attachment[]) => attachments.map(file => ({ ...file, savedAs: savedName(file) }))
  return {
    ...exported,
    messages: exported.messages.map(message =>
      message.attachments ? { ...message, attachments: withNames(message.attachments) } : message,
    ),
  }
}
