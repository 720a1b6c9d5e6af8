import { isPersistenceValid, type OptionName, pageLocale, type WidgetOptions } from '../loader/options.ts'
import { createReporter } from '../loader/problems.ts'
import type { WidgetHandle } from '../loader/widgetHandle.ts'

/** `<natter-chat>`: a widget that exists while the element is in the page. */
export interface NatterChatElement extends HTMLElement {
  /** The widget; `undefined` while the element is not in the page, has no `bot-id` or a wrong `persist`. */
  readonly widget: WidgetHandle | undefined
  /** Options whose values are not text. Setting them creates a new widget. */
  options: Partial<WidgetOptions>
}

interface NatterChatInputs {
  /** Creates the element's widget. `onDestroy` is called once the page has destroyed it. */
  createWidget(options: Partial<WidgetOptions>, onDestroy: () => void): WidgetHandle
  /** All options. Each is an attribute, too. */
  optionNames: readonly OptionName[]
  /** The platform's address, given by a script tag without a bot id: there is no chat then without an element. */
  baseUrl?: string
}

/** Defines `<natter-chat>`, unless it is defined already. By default the chat fills the element. */
export function defineNatterChat({ createWidget, optionNames, baseUrl }: NatterChatInputs): void {
  const report = createReporter(baseUrl)
  const checkPage = () => {
    if (document.querySelector('natter-chat')) return
    report("There is no chat, because the script's tag has no `data-bot-id`, and the page no <natter-chat>", 'embed-it')
  }
  if (baseUrl && document.readyState === 'complete') checkPage()
  else if (baseUrl) addEventListener('load', checkPage)
  if (customElements.get('natter-chat')) return
  const optionsByAttribute = new Map(optionNames.map(name => [name.replace(/[A-Z]/g, '-$&').toLowerCase(), name]))

  class NatterChat extends HTMLElement implements NatterChatElement {
    static readonly observedAttributes = [...optionsByAttribute.keys()]
    #options: Partial<WidgetOptions> = {}
    #widget: WidgetHandle | undefined
    #isUpdatePending = false
    /** With `persist: 'memory'` only the widget has the session. A new widget would end it. */
    #isInMemory = false
    /** A shadow root, because the element's children belong to the page's framework. */
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
      // A property that the page set before the element was defined would hide the setter forever.
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
      if (this.#widget && name === 'locale' && !this.#isUpdatePending) {
        this.#widget.setLocale(now || pageLocale())
      } else this.#scheduleUpdate()
    }

    /** Creates a new widget, once for several changes in the same task. */
    #scheduleUpdate() {
      if (this.#isUpdatePending) return
      if (this.#widget && this.#isInMemory)
        return report('<natter-chat> with `persist="memory"` ignores changes of its other attributes', 'as-an-element')
      this.#isUpdatePending = true
      queueMicrotask(() => {
        this.#isUpdatePending = false
        this.#widget?.destroy()
        if (this.isConnected) this.#create()
      })
    }

    #create() {
      const given: Partial<WidgetOptions> = { mode: 'inline', ...this.#options }
      for (const [attribute, name] of optionsByAttribute) {
        const value = this.getAttribute(attribute)
        if (value !== null) Object.assign(given, { [name]: value })
      }
      const { persist } = given
      this.#isInMemory = persist === 'memory'
      if (!given.botId) return report('<natter-chat> needs `bot-id`')
      if (!given.baseUrl && !baseUrl) return report('<natter-chat> needs `base-url`')
      if (!isPersistenceValid(persist)) return report('The option `persist` has a wrong value')
      this.#widget = createWidget({ ...given, target: this.#root }, () => {
        this.#widget = undefined
      })
    }
  }
  customElements.define('natter-chat', NatterChat)
}
