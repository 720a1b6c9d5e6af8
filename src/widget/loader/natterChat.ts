import type { WidgetHandle } from './createHandle.ts'
import type { WidgetOptions } from './options.ts'

/** The options that can be said as an attribute. */
type Textual = {
  [Name in keyof WidgetOptions]-?: Required<WidgetOptions>[Name] extends string | number | boolean ? Name : never
}[keyof WidgetOptions]

const attributes: Record<Textual, string> = {
  botId: 'bot-id',
  baseUrl: 'base-url',
  locale: 'locale',
  theme: 'theme',
  accent: 'accent',
  position: 'position',
  mode: 'mode',
  launcher: 'launcher',
  persist: 'persist',
  offset: 'offset',
  zIndex: 'z-index',
  titleBadge: 'title-badge',
}

/** `<natter-chat>`: a widget that is there as long as the element is in the page. */
export interface NatterChatElement extends HTMLElement {
  /** The widget; `undefined` while the element is out of the page or has no `bot-id`. */
  readonly widget: WidgetHandle | undefined
  /** Options beside the attributes, for those that are no text; setting them begins the widget anew. */
  options: Partial<WidgetOptions>
}

/** Makes `<natter-chat>` known to the page, unless it is already; the chat fills the element unless `mode` says otherwise. */
export function defineNatterChat(create: (options: WidgetOptions) => WidgetHandle): void {
  // On a server there is no such thing.
  if (typeof customElements === 'undefined' || customElements.get('natter-chat')) return

  class NatterChat extends HTMLElement implements NatterChatElement {
    static readonly observedAttributes = Object.values(attributes)
    #options: Partial<WidgetOptions> = {}
    #widget: WidgetHandle | undefined
    #stale = false
    /** Who the visitor is stands nowhere but in the widget. */
    #onlyInMemory = false
    /** The page's own tree stays as its framework has made it. */
    readonly #root = this.attachShadow({ mode: 'open' })

    constructor() {
      super()
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(
        ':host{display:block;height:min(640px,100dvh)}:host([mode=floating]),:host([hidden]){display:none}',
      )
      this.#root.adoptedStyleSheets = [sheet]
    }

    get widget() {
      return this.#widget
    }

    get options() {
      return this.#options
    }

    set options(options) {
      this.#options = options
      this.attributeChangedCallback()
    }

    connectedCallback() {
      // One that was only moved keeps its widget.
      if (!this.#widget) this.attributeChangedCallback()
    }

    disconnectedCallback() {
      queueMicrotask(() => {
        if (!this.isConnected) this.#end()
      })
    }

    /** Several changes at once begin one widget anew. */
    attributeChangedCallback(name?: string, before?: string | null, now?: string | null) {
      if (this.#stale || (name && before === now)) return
      if (this.#widget && name === 'locale') {
        this.#widget.setLocale(now || document.documentElement.lang || navigator.language)
        return
      }
      if (this.#widget && this.#onlyInMemory) {
        console.warn('<natter-chat> with persist="memory" stays as it began: a new widget would forget the visitor')
        return
      }
      this.#stale = true
      queueMicrotask(() => {
        this.#stale = false
        this.#end()
        const said: Partial<WidgetOptions> = { mode: 'inline', ...this.#options }
        for (const name of Object.keys(attributes) as Textual[]) {
          const value = this.getAttribute(attributes[name])
          if (value !== null) Object.assign(said, { [name]: value })
        }
        const { botId, persist } = said
        this.#onlyInMemory = persist === 'memory'
        if (this.isConnected && botId) this.#widget = create({ ...said, botId, target: this.#root })
      })
    }

    #end() {
      this.#widget?.destroy()
      this.#widget = undefined
    }
  }
  customElements.define('natter-chat', NatterChat)
}
