import type { App, createApp, finishLogout } from '../app/createApp.ts'
import type { explainProblem } from '../diagnostics/index.ts'
import type { createPlacement, defineNatterChat } from '../displayMode/index.ts'

/** Loads the chunks. Each function may be called several times, also after a failure. */
export interface Chunks {
  core(): Promise<{ createApp: typeof createApp; finishLogout: typeof finishLogout }>
  /** `tags` are the languages of its texts, which are fetched at the same time. */
  panel(tags: string): Promise<{ mountPanel(root: ShadowRoot, app: App, isInline: boolean): () => void }>
  /** Needed for inline mode, the site's own launchers, and `<natter-chat>`. */
  displayMode(): Promise<{ createPlacement: typeof createPlacement; defineNatterChat: typeof defineNatterChat }>
  /** Needed if the site has made a mistake. */
  diagnostics(): Promise<{ explainProblem: typeof explainProblem }>
}
