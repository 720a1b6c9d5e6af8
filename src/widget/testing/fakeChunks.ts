import type { AppSettings } from '../app/appSettings.ts'
import type { App } from '../app/createApp.ts'
import { en } from '../i18n/en.ts'
import type { Chunks } from '../loader/chunks.ts'

/** The token of the session. */
const token = `c:${'a'.repeat(64)}`

/** Creates fake chunks that record the calls to them. */
export function createChunks() {
  const calls: unknown[][] = []
  let settings: AppSettings | undefined
  const note =
    (name: string, result?: unknown) =>
    (...words: unknown[]) => {
      calls.push([name, ...words])
      return result as never
    }
  const core = {
    auth: { state: () => 'identified', contact: () => ({ id: 'ada', name: 'Ada' }) },
    session: {
      start: note('start'),
      login: note('login', Promise.resolve({ contact: { id: 'ada', name: 'Ada' } })),
      logout: note('logout', Promise.resolve()),
      token: () => token,
    },
    message(words: unknown) {
      if (chunks.refuses) throw new TypeError('refused')
      calls.push(['message', words])
    },
    refreshSignIn: note('refreshSignIn', Promise.resolve()),
    setLocale: note('setLocale'),
    setContext: note('setContext'),
    panel: {
      setOpen(open: boolean) {
        calls.push(['setOpen', open])
        settings?.emit(open ? 'open' : 'close', undefined)
      },
    },
    destroy: note('destroy'),
  } as unknown as App
  const chunks = {
    /** The settings that the core was created with. */
    settings: () => settings,
    fails: false,
    refuses: false,
    asked: 0,
    /** The tokens that `finishLogout()` could not revoke. */
    missed: [] as string[],
    calls,
    emit: ((...words) => settings?.emit(...words)) as AppSettings['emit'],
    core: async () => {
      chunks.asked++
      if (chunks.fails) throw new TypeError('Failed to fetch dynamically imported module')
      return {
        createApp(given: AppSettings) {
          settings = given
          given.renderLauncher({ texts: { ...en, ...given.strings } })
          return core
        },
        async finishLogout(...words: unknown[]): Promise<string[]> {
          calls.push(['finishLogout', ...words])
          return chunks.missed
        },
      }
    },
    panel: async () => ({
      mountPanel(root: ShadowRoot) {
        calls.push(['mount'])
        const box = root.appendChild(document.createElement('section'))
        return () => box.remove()
      },
    }),
    displayMode: () => import('../displayMode/index.ts'),
  } satisfies Chunks & Record<string, unknown>
  return chunks
}

/** Keeps a chunk from loading until the returned function is called. */
export function holdChunk(chunks: ReturnType<typeof createChunks>, name: 'core' | 'panel'): () => void {
  const load: () => Promise<never> = chunks[name] as never
  const released = Promise.withResolvers<void>()
  chunks[name] = async () => {
    await released.promise
    return load()
  }
  return released.resolve
}
