import { createAttachmentApi, type SendBlob } from '../api/attachments.ts'
import { Attachments } from '../conversation/attachments/attachments.ts'
import type { ConversationDeps } from '../conversation/deps.ts'

/** Creates the model of files. It is a chunk of its own, because most conversations have none. */
export const createAttachments = (deps: ConversationDeps, send?: SendBlob): Attachments =>
  new Attachments({ ...deps, attachmentApi: createAttachmentApi(deps.api.request, send) })
