import { type ReadonlySignal, signal } from '@preact/signals'
import type { SavedReply } from '../../contract/desk.ts'
import type { Api } from '../api.ts'

/** The texts that the member can insert into replies. Changes reject with an `ApiError`. */
export interface SavedReplies {
  /** By title; `null` until they are loaded. */
  readonly all: ReadonlySignal<readonly SavedReply[] | null>
  readonly hasFailed: ReadonlySignal<boolean>
  /** Loads them again: others may have changed the shared ones. */
  load(): Promise<void>
  /** Creates or replaces one. */
  save(reply: Omit<SavedReply, 'updatedAt'>): Promise<void>
  remove(id: string): Promise<void>
}

export function createSavedReplies(api: Pick<Api, 'get' | 'put' | 'delete'>): SavedReplies {
  const all = signal<readonly SavedReply[] | null>(null)
  const hasFailed = signal(false)
  async function load() {
    const response = await api.get<'listSavedReplies'>('/saved-replies').catch(() => null)
    hasFailed.value = !response
    if (response) all.value = response.data
  }
  return {
    all,
    hasFailed,
    load,
    async save({ id, title, text, isShared }) {
      await api.put<'saveSavedReply'>(`/saved-replies/${id}`, { title, text, isShared })
      await load()
    },
    async remove(id) {
      await api.delete<'deleteSavedReply'>(`/saved-replies/${id}`)
      await load()
    },
  }
}
