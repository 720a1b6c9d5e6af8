import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { codeFile } from '../src/guides.ts'
import { expect, openWithHtml, test } from './fakeSite.ts'
import { root } from './processes.ts'

const script = '<script src="/natter.js" data-bot-id="bot"></script>'

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

test('chunks that the browser remembers as failed are each fetched once from another address', async ({
  page,
  fakeSite,
  chat,
}) => {
  const names = ['core', 'panel', 'transcript', 'more']
  const requested: string[] = []
  await page.route(new RegExp(`/(${names.join('|')})-[^/]*$`), route => {
    const { pathname, search } = new URL(route.request().url())
    requested.push(`${pathname.replace(/.*\/|-.*/g, '')}${search && ' again'}`)
    return search ? route.fallback() : route.abort()
  })
  await page.goto(fakeSite.url())
  await chat.open()
  await expect(chat.panel.getByRole('button', { name: 'More' })).toBeVisible()
  await chat.say('Where is my order?')
  expect(requested.sort()).toEqual(names.flatMap(name => [name, `${name} again`]).sort())
})

test('a tag manager that drops data attributes gets a warning, and the guide’s snippet works in it', async ({
  page,
  fakeSite,
  chat,
}) => {
  const warnings: string[] = []
  page.on('console', message => message.type() === 'warning' && warnings.push(message.text()))
  const errors = await openWithHtml(page, fakeSite, { body: '<h1>Page</h1>' })
  await insertByTagManager(page, script)
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

test('the wheel over the panel never scrolls the page, the bot’s name is not translated, and a library’s `inert` does not last', async ({
  page,
  fakeSite,
  chat,
}) => {
  await openWithHtml(page, fakeSite, { body: `<h1 style="height:5000px">Page</h1>${script}` })
  await chat.open()
  await expect(chat.panel.getByRole('button', { name: 'More' })).toBeVisible()
  for (const part of [chat.panel.getByRole('heading', { level: 2 }), chat.composer, chat.transcript]) {
    await part.hover()
    await page.mouse.wheel(0, 400)
  }
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  expect(await page.evaluate(() => scrollY)).toBe(0)
  const heading = chat.panel.getByRole('heading', { level: 2 })
  await expect(heading).toHaveAttribute('translate', 'no')
  await chat.panel.getByRole('button', { name: 'Close chat' }).click()
  await page.evaluate(() => {
    for (const element of document.body.children) (element as HTMLElement).inert = true
  })
  await chat.open()
})
