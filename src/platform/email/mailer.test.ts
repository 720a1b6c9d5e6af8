import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../testServer.ts'
import { refusal, startSmtpServer } from '../testing/smtpServer.ts'
import { createMailer, readSender, readSmtpUrl } from './mailer.ts'

const mail = { to: 'ada@example.com', id: 'an-id', subject: 'Grüße, Ada', text: 'Hello', html: '<p>Hello</p>' }
const from = 'The shop <chat@shop.example>'
const { signal } = new AbortController()

it('sends a mail as text and HTML, which can be ended with one click and is the same one when it is sent again', async () => {
  const smtp = await startSmtpServer()
  const unsubscribeUrl = `https://chat.example/email/unsubscribe/${'a'.repeat(64)}`
  const mailer = createMailer({ smtpUrl: smtp.url, from })
  for (let count = 0; count < 2; count++) expect(await mailer.send({ ...mail, unsubscribeUrl }, signal)).toBeNull()
  const [first, second] = smtp.mails
  expect(first).toMatchObject({
    ...{ recipient: mail.to, subject: mail.subject, text: 'Hello\n', html: '<p>Hello</p>\n' },
    from: { name: 'The shop', address: 'chat@shop.example' },
    messageId: '<an-id@shop.example>',
  })
  expect(second?.messageId).toBe(first?.messageId)
  expect(first?.headers).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ key: 'list-unsubscribe', value: `<${unsubscribeUrl}>` }),
      expect.objectContaining({ key: 'list-unsubscribe-post', value: 'List-Unsubscribe=One-Click' }),
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    ]),
  )
})

it('sends nothing to what is more than one address, or would become another one', async () => {
  const recipients: string[] = []
  const smtp = await startSmtpServer({
    onRcptTo({ address }, _, callback) {
      recipients.push(address)
      callback()
    },
  })
  const mailer = createMailer({ smtpUrl: smtp.url, from })
  for (const to of ['ada@example.com, eve@example.com', 'ada@example.com>,<eve@example.com', '<ada@example.com'])
    await mailer.send({ ...mail, to }, signal)
  expect(recipients).toEqual([])
})

it.each([
  [
    'an unknown address',
    'onRcptTo',
    refusal(550, '5.1.1 No such user ada@example.com'),
    'status 550 at RCPT TO',
    'address',
  ],
  ['a sender that may not relay', 'onRcptTo', refusal(550, '5.7.1 Relaying denied'), 'status 550 at RCPT TO', 'none'],
  ['a sender without a password', 'onRcptTo', refusal(550, 'SMTP AUTH is required'), 'status 550 at RCPT TO', 'none'],
  ['a busy mailbox', 'onRcptTo', refusal(450), 'status 450 at RCPT TO', 'none'],
  ['the sender', 'onMailFrom', refusal(550), 'status 550 at MAIL FROM', 'none'],
  ['the text', 'onMail', refusal(554), 'status 554 at DATA', 'final'],
])('says that a server refuses %s, without the address and its words', async (_, when, error, reason, kind) => {
  const refuse = (...args: unknown[]) => (args.at(-1) as (error: Error) => void)(error)
  const onMail = () => {
    throw error
  }
  const smtp = await startSmtpServer({ [when]: when === 'onMail' ? onMail : refuse })
  expect(await createMailer({ smtpUrl: smtp.url, from }).send(mail, signal)).toEqual({
    ...{ reason, isAddressRefused: kind === 'address', isFinal: kind !== 'none' },
  })
})

it('ends an attempt when it is aborted, and when there is no server', async () => {
  // It never greets.
  const silent = createServer()
  const { port, close } = await listen(silent)
  onTestFinished(close)
  const abort = new AbortController()
  silent.once('connection', socket => {
    onTestFinished(() => void socket.destroy())
    abort.abort()
  })
  const { send } = createMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from })
  expect(await send(mail, abort.signal)).toMatchObject({ reason: 'EABORT', isFinal: true })
  const smtp = await startSmtpServer()
  await smtp.close()
  expect(await createMailer({ smtpUrl: smtp.url, from }).send(mail, signal)).toMatchObject({
    reason: 'ESOCKET',
    isFinal: false,
  })
})

it('gives the password to a server of this machine, and to another one only with TLS', async () => {
  const passwords: unknown[] = []
  const options = {
    ...{ disabledCommands: ['STARTTLS'], authOptional: true, allowInsecureAuth: true },
    onAuth: ({ password }: { password?: string }, _: unknown, callback: (error: null, user: object) => void) => {
      passwords.push(password)
      callback(null, { user: 'shop' })
    },
  }
  const smtp = await startSmtpServer(options as Parameters<typeof startSmtpServer>[0])
  const urlOf = (host: string) => smtp.url.replace('127.0.0.1', `shop:p%40ss@${host}`)
  expect(await createMailer({ smtpUrl: urlOf('127.0.0.1'), from }).send(mail, signal)).toBeNull()
  expect(passwords).toEqual(['p@ss'])
  // The same machine by a name that could be another one.
  expect(await createMailer({ smtpUrl: urlOf('127.1'), from }).send(mail, signal)).toMatchObject({
    reason: 'status 500 at STARTTLS',
  })
  expect(passwords).toHaveLength(1)
})

it('takes addresses of servers and senders, and shows no password when it refuses one', () => {
  for (const url of ['smtp://relay.internal', 'smtps://a:b@smtp.example:465', 'smtp://[::1]:25/']) readSmtpUrl(url)
  for (const url of [
    '',
    'smtp.example:25',
    'https://a:hunter2@x.example',
    'smtp://a:%zz@x.example',
    'smtp://x.example/?debug=true',
  ])
    expect(() => readSmtpUrl(url), url).toThrow(/^Must be smtps:\/\/user:password@host:465 or/)
  expect(readSender('"Shop, Inc." <chat@shop.example>')).toMatchObject({ name: 'Shop, Inc.' })
  for (const sender of ['', 'chat', 'Shop <chat>', 'a@shop.example, b@shop.example'])
    expect(() => readSender(sender), sender).toThrow('Must be an address')
})
