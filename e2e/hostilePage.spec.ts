import { reply } from '../src/widget/testing/fakePlatform.ts'
import { expect, openWithHtml, test } from './fakeSite.ts'

const hostileTexts = [
  '<script>run()</script>',
  '<img src="https://evil.example/x" onerror="run()">',
  '<svg onload="run()"><a href="javascript:run()">x</a></svg>',
  '"><iframe srcdoc="<script>parent.run()</script>"></iframe>',
  'javascript:run() data:text/html,<script>run()</script> vbscript:run()',
  '<style>@import "https://evil.example/x"</style><link rel="stylesheet" href="https://evil.example/x">',
  '[x](javascript:run()) [y](JaVaScRiPt:run) [z](data:text/html,x) <javascript:run()> ![p](https://evil.example/p.png)',
  '[a]: javascript:run()\n[a] **<b onmouseover=run()>b</b>** `<i>` \n\n| <img src=x onerror=run()> |\n|-|\n| [q](javascript&#58;run()) |',
  '<math><mtext></p><a href="https://evil.example" ping="https://evil.example/ping">x</a>',
  '{{constructor.constructor("run()")()}} \u202e<img src=x onerror=run()>\u0000',
]

test('hostile texts of bots, agents and contacts are shown as text: no script runs, no request is sent', async ({
  page,
  fakeSite,
  chat,
}) => {
  const foreignRequests: string[] = []
  page.on('request', request => {
    if (new URL(request.url()).origin !== new URL(fakeSite.url()).origin) foreignRequests.push(request.url())
  })
  const hostileName = hostileTexts.join('\n').slice(0, 255)
  const face = {
    id: 'bot',
    name: hostileName,
    subtitle: hostileName.slice(0, 80),
    avatar: '',
    greeting: hostileName,
    quickReplies: hostileTexts.slice(0, 4),
  }
  fakeSite.platform.intercept = (_method, path) =>
    path === ''
      ? reply(200, {
          ...face,
          accent: 'red;}*{background:url(https://evil.example)',
          locale: 'en',
          images: false,
          handover: true,
          agentPauseSeconds: 1800,
          ratings: true,
          attachments: false,
          eraseByVisitor: false,
          email: false,
          visitors: 'everyone',
          openings: [],
        })
      : undefined
  const { token, messages } = fakeSite.contact('Ada', 0)
  const session = fakeSite.platform.sessions.get(token)
  if (session) session.contact = { id: 'contact-1', name: hostileName }
  const errors = await openWithHtml(page, fakeSite, {
    head: '<script>window.runs = 0; window.run = () => window.runs++</script>',
    body: '<h1>Hostile</h1><script src="/natter.js" data-bot-id="bot"></script>',
  })
  await page.evaluate(token => window.Natter.auth.contacts.login({ token }), token)
  await chat.open()
  await expect(chat.transcript).toContainText('<svg onload')
  await chat.transcript.getByRole('button', { name: '<img' }).click()
  await expect(chat.transcript).toContainText('Sent')
  for (const author of ['bot', 'agent'] as const)
    for (const format of ['plain', 'markdown'] as const)
      for (const text of hostileTexts)
        fakeSite.platform.say(messages, { text, author, format, quickReplies: hostileTexts.slice(0, 4) })
  await expect(chat.transcript.locator('[part=message]').last()).toContainText('{{constructor')
  await expect(chat.transcript.locator('strong')).toHaveCount(2)
  const dangerous = await chat.panel.evaluate(panel =>
    [...panel.querySelectorAll('*')].flatMap(element => [
      ...(element.matches('script, iframe, img, svg *:not(path), style, link, math, object, form:not([part])')
        ? [element.outerHTML]
        : []),
      ...[...element.attributes]
        .filter(({ name, value }) => /^on|^style$|ping/.test(name) || /^\s*(javascript|data|vbscript):/i.test(value))
        .map(({ name, value }) => `${name}=${value}`),
    ]),
  )
  expect(dangerous).toEqual([])
  expect(await page.evaluate(() => (window as unknown as { runs: number }).runs)).toBe(0)
  expect(foreignRequests).toEqual([])
  expect(errors).toEqual([])
})
