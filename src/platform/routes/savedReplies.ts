import type { SavedReplies } from '../domain/savedReplies.ts'
import type { Handlers } from './handler.ts'

/** The desk's endpoints for saved replies. */
export const savedReplyHandlers = (replies: SavedReplies) =>
  ({
    listSavedReplies: async c => ({ data: await replies.list(c.get('member')) }),
    saveSavedReply: async c => ({
      data: await replies.save(c.get('member'), c.req.param('savedReplyId') ?? '', c.get('body')),
    }),
    deleteSavedReply: c => replies.delete(c.get('member'), c.req.param('savedReplyId') ?? ''),
  }) satisfies Partial<Handlers>
