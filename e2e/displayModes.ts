import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { Chat } from './fixtures.ts'
import { openHtmlPage } from './htmlPage.ts'
import { type Platform, root } from './processes.ts'

/** The script tag. */
export const script = ({ baseUrl, botId }: Platform, attributes = ''): string =>
  `<script src="${baseUrl}/natter.js" data-bot-id="${botId}" ${attributes}></script>`
export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

/** Page object of an inline chat. */
export class InlineChat extends Chat {
  override readonly panel: Locator = this.page.getByRole('region', { name: 'Acme Outfitters' })
  override readonly composer: Locator = this.panel.getByRole('textbox')
  override readonly transcript: Locator = this.panel.getByRole('log')
}

export const boxOf = (page: Page, selector: string): Promise<Pick<DOMRect, 'x' | 'y' | 'width' | 'height'>> =>
  page.locator(selector).evaluate(element => {
    const { x, y, width, height } = element.getBoundingClientRect()
    return { x, y, width, height }
  })

/** The target of an inline chat, between a field with the focus and a text. */
export const target = '<input autofocus><div id="chat" style="width:500px;height:420px;margin:30px"></div><p>After</p>'

/** Has a conversation in a page with this file of the pinned version. Returns the paths of all scripts that it has fetched. */
export async function converseByFile(
  page: Page,
  { baseUrl, botId }: Platform,
  tag: 'natter.js' | 'natter.all.js',
): Promise<string[]> {
  const hashes = JSON.parse(readFileSync(join(root, 'dist/integrity.json'), 'utf8')) as Record<string, string>
  const file = `natter@${version}/${tag}`
  const requests: string[] = []
  page.on('request', request => {
    if (request.url().endsWith('.js')) requests.push(new URL(request.url()).pathname)
  })
  await openHtmlPage(
    page,
    `<script src="${baseUrl}/${file}" integrity="${hashes[file]}" crossorigin="anonymous" data-bot-id="${botId}"></script>`,
  )
  const chat = new Chat(page)
  await chat.open()
  await chat.ask('How do I return something?', /30 days/)
  return requests
}
