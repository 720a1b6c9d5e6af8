import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { codeFile } from '../src/guides.ts'
import { expect, openWithHtml, test } from './fakeSite.ts'
import { root } from './processes.ts'

/** Inserts HTML as tag managers do: each script is made again, without its `data-` attributes. */
const insertByTagManager = (page: Page, html: string) =>
  page.evaluate(html => {
    const box = document.body.appendChild(document.createElement('div'))
    box.innerHTML = html
    for (const old of box.querySelectorAll('script')) {
      const tag = document.createElement('script')
      if (old.src) tag.src = old.src
      tag.text = old.text
      old.replaceWith(tag)
    }
  }, html)

test('a tag manager that drops data attributes gets a warning, and the guide’s snippet works in it', async ({
  page,
  fakeSite,
  chat,
}) => {
  const warnings: string[] = []
  page.on('console', message => message.type() === 'warning' && warnings.push(message.text()))
  const errors = await openWithHtml(page, fakeSite, { body: '<h1>Page</h1>' })
  await insertByTagManager(page, '<script src="/natter.js" data-bot-id="bot"></script>')
  await expect.poll(() => warnings.join()).toContain("the script's tag has no data-bot-id")
  const snippet = codeFile('src/widget/README.md', 'Tag manager')
    .replace('https://chat.example', '')
    .replace('BOT_ID', 'bot')
  await insertByTagManager(page, snippet)
  await chat.open()
  expect(errors).toEqual([])
  expect(warnings).toHaveLength(1)
})

test('an inlined script and a blob fetch their files by data-base-url', async ({ page, fakeSite, chat }) => {
  const code = readFileSync(join(root, 'dist/natter.js'), 'utf8')
  const errors = await openWithHtml(page, fakeSite, { body: '<h1>Page</h1>' })
  for (const isBlob of [false, true]) {
    await page.evaluate(
      ([code, isBlob]) => {
        const tag = document.createElement('script')
        Object.assign(tag.dataset, { botId: 'bot', baseUrl: location.origin })
        if (isBlob) tag.src = URL.createObjectURL(new Blob([code]))
        else tag.text = code
        document.body.append(tag)
      },
      [code, isBlob] as const,
    )
    await chat.open()
    await page.evaluate(() => window.Natter.destroy())
    await expect(chat.panel).toHaveCount(0)
  }
  expect(errors).toEqual([])
})
