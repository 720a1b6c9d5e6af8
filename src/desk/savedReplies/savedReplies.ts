import type { SavedReply } from '../../contract/desk.ts'
import type { Api } from '../api.ts'
import { createLoadable, type Loadable } from '../loadable.ts'

/** The texts that the member can insert into replies, by title. Others may have changed the shared ones. Changes reject with an `ApiError`. */
export interface SavedReplies extends Loadable<SavedReply[]> {
  /** Creates or replaces one. */
  save(reply: SavedReply): Promise<void>
  remove(id: string): Promise<void>
}

export function createSavedReplies(api: Pick<Api, 'get' | 'put' | 'delete'>): SavedReplies {
  const list = createLoadable(() => api.get<'listSavedReplies'>('/saved-replies'))
  return {
    ...list,
    async save({ id, title, text, isShared }) {
      await api.put<'saveSavedReply'>(`/saved-replies/${id}`, { title, text, isShared })
      await list.load()
    },
    async remove(id) {
      await api.delete<'deleteSavedReply'>(`/saved-replies/${id}`)
      await list.load()
    },
  }
}
