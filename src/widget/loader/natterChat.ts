import type { Chunks } from './chunks.ts'
import type { createHandle } from './createHandle.ts'
import type { WidgetOptions } from './options.ts'
import { pageLocale } from './pageLocale.ts'
import { createReporter } from './problems.ts'
import type { WidgetHandle } from './widgetHandle.ts'

/** The options that an attribute can set. */
const attributes = {
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
  page: 'page',
  refreshToken: 'refresh-token',
  tokenUrl: 'token-url',
} satisfies Partial<Record<keyof WidgetOptions, string>>

/** `<natter-chat>`: a widget that is there as long as the element is in the page. */
export interface NatterChatElement extends HTMLElement {
  /** The widget; `undefined` while the element is out of the page or has no `bot-id`. */
  readonly widget: WidgetHandle | undefined
  /** Options beside the attributes, for those that are no text. Setting them makes a new widget. */
  options: Partial<WidgetOptions>
}

interface NatterChatInputs {
  chunks: Chunks
  /** Where the platform is unless the element says otherwise. */
  baseUrl?: string
  /** Handed in, because the script has it already and this is another chunk. */
  createHandle: typeof createHandle
  /** The attributes of the script's tag, which has no bot id. */
  dataset?: DOMStringMap
}

/** Makes `<natter-chat>` known to the page, unless it is already. The chat fills the element unless `mode` says otherwise. */
export function defineNatterChat({ chunks, baseUrl, createHandle, dataset = {} }: NatterChatInputs): void {
  // The tag has attributes but no bot id, which has probably been forgotten.
  const given = Object.keys(dataset)
  if (given.length) createReporter(chunks.diagnostics, 'script')({ code: 'missing_bot_id', given })
  if (customElements.get('natter-chat')) return
  const report = createReporter(chunks.diagnostics, 'element')

  class NatterChat extends HTMLElement implements NatterChatElement {
    static readonly observedAttributes = Object.values(attributes)
    #options: Partial<WidgetOptions> = {}
    #widget: WidgetHandle | undefined
    #isUpdatePending = false
    /** With `persist: 'memory'` the identity is nowhere but in the widget: making a new one would end the session. */
    #isInMemory = false
    /** The widget is kept out of the element's children, which belong to the page's framework. */
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
      this.#scheduleUpdate()
    }

    connectedCallback() {
      // What the page has set before the class was there would hide the setter for ever.
      if (Object.hasOwn(this, 'options')) {
        const { options } = this
        Reflect.deleteProperty(this, 'options')
        this.options = options
      }
      // An element that was only moved keeps its widget.
      if (!this.#widget) this.#scheduleUpdate()
    }

    disconnectedCallback() {
      queueMicrotask(() => {
        if (!this.isConnected) this.#widget?.destroy()
      })
    }

    attributeChangedCallback(name: string, before: string | null, now: string | null) {
      if (before === now) return
      if (this.#widget && name === attributes.locale && !this.#isUpdatePending) {
        this.#widget.setLocale(now || pageLocale())
      } else this.#scheduleUpdate()
    }

    /** Several changes at once make one new widget. */
    #scheduleUpdate() {
      if (this.#isUpdatePending) return
      if (this.#widget && this.#isInMemory) return report({ code: 'change_ignored' })
      this.#isUpdatePending = true
      queueMicrotask(() => {
        this.#isUpdatePending = false
        this.#widget?.destroy()
        if (this.isConnected) this.#create()
      })
    }

    #create() {
      const given = { mode: 'inline', ...this.#options, ...this.#readAttributes() } as Partial<WidgetOptions>
      this.#isInMemory = given.persist === 'memory'
      if (!given.botId) return report({ code: 'missing_option', name: 'botId' })
      if (!given.baseUrl && !baseUrl) return report({ code: 'missing_option', name: 'baseUrl' })
      const options = { ...given, target: this.#root }
      this.#widget = createHandle(options, {
        chunks,
        source: 'element',
        ...(baseUrl && { baseUrl }),
        onDestroy: () => {
          this.#widget = undefined
        },
      })
    }

    /** The attributes by option name. Unknown ones are included: `parseOptions()` reports what looks like one of ours. */
    #readAttributes(): Record<string, string> {
      const found: Record<string, string> = {}
      for (const name of this.getAttributeNames()) {
        // Such as `title`, an attribute of any element.
        if (name in this && !NatterChat.observedAttributes.includes(name)) continue
        const optionName = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
        found[optionName] = this.getAttribute(name) as string
      }
      return found
    }
  }
  customElements.define('natter-chat', NatterChat)
}
