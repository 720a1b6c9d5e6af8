import type { App, createApp, finishLogout } from '../app/createApp.ts'
import type { explainProblem } from '../diagnostics/index.ts'
import type { createPlacement, defineNatterChat } from '../displayMode/index.ts'

/** Fetches what isn't needed at once. Each may be called again, also after a failure. */
export interface Chunks {
  core(): Promise<{ createApp: typeof createApp; finishLogout: typeof finishLogout }>
  panel(): Promise<{ mountPanel(root: ShadowRoot, app: App, isInline: boolean): () => void }>
  /** Where the chat isn't just in the corner: inline, behind the site's own launchers, or in `<natter-chat>`. */
  displayMode(): Promise<{ createPlacement: typeof createPlacement; defineNatterChat: typeof defineNatterChat }>
  /** Where the site has made a mistake. */
  diagnostics(): Promise<{ explainProblem: typeof explainProblem }>
}
