import { spawn } from 'node:child_process'
import { freePort } from '../src/testPort.ts'

/** A page in a browser controlled by W3C WebDriver, with the few commands that a smoke test needs. */
export interface DrivenPage {
  go(url: string): Promise<void>
  /** Runs a function body in the page and returns its result. */
  run<Result>(body: string, ...args: unknown[]): Promise<Result>
  /** Clicks the element of the widget that matches the selector. */
  click(selector: string): Promise<void>
  /** Types into the element of the widget that matches the selector. */
  type(selector: string, text: string): Promise<void>
  end(): Promise<void>
}

const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
const inWidget = `return document.querySelector('[data-natter]').shadowRoot.querySelector(arguments[0])`

/** Starts WebKitGTK's driver and browser on the current display. */
export async function driveWebKit(driver: string): Promise<DrivenPage> {
  const port = await freePort()
  const process = spawn(driver, [`--port=${port}`, '--host=127.0.0.1'], { stdio: 'ignore' })
  const command = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as { value: never }
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }
  const startSession = async (retries = 50): Promise<{ sessionId: string }> => {
    try {
      return await command('POST', '/session', { capabilities: { alwaysMatch: { browserName: 'MiniBrowser' } } })
    } catch (error) {
      if (retries === 0) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
      return startSession(retries - 1)
    }
  }
  const session = `/session/${(await startSession()).sessionId}`
  const element = async (selector: string) => {
    const found = await command('POST', `${session}/execute/sync`, { script: inWidget, args: [selector] })
    if (!found) throw new Error(`There is no ${selector} in the widget`)
    return `${session}/element/${found[elementKey]}`
  }
  return {
    go: url => command('POST', `${session}/url`, { url }),
    run: (script, ...args) => command('POST', `${session}/execute/sync`, { script, args }),
    click: async selector => command('POST', `${await element(selector)}/click`, {}),
    type: async (selector, text) => command('POST', `${await element(selector)}/value`, { text }),
    async end() {
      await command('DELETE', session).catch(() => {})
      process.kill()
    },
  }
}
