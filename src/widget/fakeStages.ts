import type { Core, CoreSettings } from './core.ts'
import type { Stages } from './handle.ts'
import { en } from './strings/en.ts'

/** Stages that are asked for by hand, and note what happens in them. */
export function createStages() {
  const calls: unknown[][] = []
  let settings: CoreSettings | undefined
  const note =
    (name: string, result?: unknown) =>
    (...words: unknown[]) => {
      calls.push([name, ...words])
      return result as never
    }
  const core = {
    session: {
      state: () => 'identified',
      contact: { peek: () => ({ id: 'ada', name: 'Ada' }) },
      start: note('start'),
      login: note('login', Promise.resolve({ contact: { id: 'ada', name: 'Ada' } })),
      logout: note('logout', Promise.resolve()),
    },
    message(words: unknown) {
      if (stages.refuses) throw new TypeError('refused')
      calls.push(['message', words])
    },
    setLocale: note('setLocale'),
    panel: {
      setOpen(open: boolean) {
        calls.push(['setOpen', open])
        settings?.emit(open ? 'open' : 'close', undefined)
      },
    },
    destroy: note('destroy'),
  } as unknown as Core
  const stages = {
    fails: false,
    refuses: false,
    asked: 0,
    calls,
    emit: ((...words) => settings?.emit(...words)) as CoreSettings['emit'],
    core: async () => {
      stages.asked++
      if (stages.fails) throw new TypeError('Failed to fetch dynamically imported module')
      return {
        createCore(given: CoreSettings) {
          settings = given
          given.show({ texts: { ...en, ...given.strings } })
          return core
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
    placement: () => import('./placement/index.ts'),
  } satisfies Stages & Record<string, unknown>
  return stages
}
