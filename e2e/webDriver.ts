import { spawn } from 'node:child_process'
import { freePort } from '../src/testPort.ts'

/** A page in a browser that speaks WebDriver (W3C), as far as a smoke test needs it. */
export interface DrivenPage {
  go(url: string): Promise<void>
  /** Runs the body of a function in the page and returns what that returns. */
  run<Result>(body: string, ...given: unknown[]): Promise<Result>
  /** Clicks on, and types into, what the selector finds in the widget. */
  click(selector: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  end(): Promise<void>
}

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
const inWidget = `return document.querySelector('[data-natter]').shadowRoot.querySelector(arguments[0])`

/** Starts WebKitGTK's driver, and its browser, on the display that there is. */
export async function driveWebKit(driver: string): Promise<DrivenPage> {
  const port = await freePort()
  const process = spawn(driver, [`--port=${port}`, '--host=127.0.0.1'], { stdio: 'ignore' })
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const { value } = (await answer.json()) as { value: never }
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }
  const begun = async (tries = 50): Promise<{ sessionId: string }> => {
    try {
      return await ask('POST', '/session', { capabilities: { alwaysMatch: { browserName: 'MiniBrowser' } } })
    } catch (error) {
      if (tries === 0) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
      return begun(tries - 1)
    }
  }
  const session = `/session/${(await begun()).sessionId}`
  const element = async (selector: string) => {
    const found = await ask('POST', `${session}/execute/sync`, { script: inWidget, args: [selector] })
    if (!found) throw new Error(`There is no ${selector} in the widget`)
    return `${session}/element/${found[elementKey]}`
  }
  return {
    go: url => ask('POST', `${session}/url`, { url }),
    run: (script, ...args) => ask('POST', `${session}/execute/sync`, { script, args }),
    click: async selector => ask('POST', `${await element(selector)}/click`, {}),
    type: async (selector, text) => ask('POST', `${await element(selector)}/value`, { text }),
    async end() {
      await ask('DELETE', session).catch(() => {})
      process.kill()
    },
  }
}
