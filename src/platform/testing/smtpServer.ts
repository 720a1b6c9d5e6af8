import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished, TestRunner } from 'vitest'
import { listen } from '../../testServer.ts'

/** A mail as the server has taken it: the address of the envelope, and the parsed mail. */
export interface ReceivedMail extends Email {
  recipient: string
  /** The mail as it was sent. */
  source: string
}

/** A real SMTP server on this machine. */
export interface TestSmtpServer {
  /** `smtp://127.0.0.1:…`, without a password. */
  url: string
  mails: ReceivedMail[]
  /** The mail with that number, from 1, as soon as it has been taken. */
  received(number: number): Promise<ReceivedMail>
  close(): Promise<void>
}

/** What the server answers in place of 250. */
export const refusal = (responseCode: number, text = 'refused'): Error =>
  Object.assign(new Error(text), { responseCode })

/**
 * Starts a server. By default it takes every mail, without TLS and authentication; `options` are those of `smtp-server`, whose
 * `onRcptTo` and the like may answer with a `refusal`. `onMail` runs before a mail is acknowledged, and may throw a `refusal`.
 * It closes with the test that has started it.
 *
 * @example
 * const smtp = await startSmtpServer()
 * await createTestTenants({ email: { smtpUrl: smtp.url, from: 'Shop <chat@shop.example>' } })
 * expect((await smtp.received(1)).subject).toBe('New message from Ada')
 */
export async function startSmtpServer({
  onMail,
  ...options
}: SMTPServerOptions & { onMail?: (mail: ReceivedMail) => unknown } = {}): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = []
  const arrived: PromiseWithResolvers<ReceivedMail>[] = []
  const arrival = (number: number) => {
    arrived[number] ??= Promise.withResolvers()
    return arrived[number]
  }
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    async onData(stream, { envelope }, callback) {
      try {
        const chunks: Buffer[] = []
        for await (const chunk of stream) chunks.push(chunk as Buffer)
        const source = Buffer.concat(chunks).toString()
        const recipient = envelope.rcptTo.map(({ address }) => address).join()
        const mail = { ...(await PostalMime.parse(source)), recipient, source }
        await onMail?.(mail)
        arrival(mails.push(mail)).resolve(mail)
        callback()
      } catch (error) {
        callback(error as Error)
      }
    },
    ...options,
  })
  // A client that disconnects is no error of a test.
  smtp.on('error', () => {})
  const { port } = await listen(smtp.server)
  const close = () => new Promise<void>(resolve => smtp.close(() => resolve()))
  if (TestRunner.getCurrentTest()) onTestFinished(close)
  return { url: `smtp://127.0.0.1:${port}`, mails, received: number => arrival(number).promise, close }
}
