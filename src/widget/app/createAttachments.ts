import type { ApiClient } from '../api/apiClient.ts'
import { createAttachmentApi, type SendBlob } from '../api/attachments.ts'
import { Attachments, type AttachmentsDeps } from '../conversation/attachments/attachments.ts'

interface CreateAttachmentsDeps extends Omit<AttachmentsDeps, 'attachmentApi'> {
  api: Pick<ApiClient, 'request'>
}

/** Creates the model of files. It is a chunk of its own, because most conversations have none. */
export const createAttachments = ({ api, ...deps }: CreateAttachmentsDeps, send?: SendBlob): Attachments =>
  new Attachments({ ...deps, attachmentApi: createAttachmentApi(api.request, send) })
