import { expect, openWithHtml, test } from './fakeSite.ts'

const script = '<script src="/natter.js" data-bot-id="bot"></script>'

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
