import { createTransport } from 'nodemailer'
import addressparser from 'nodemailer/lib/addressparser'
import { emailSchema, validate } from '../../contract/index.ts'
import { ownMachine } from '../../contract/validation.ts'

export interface MailerOptions {
  /** The SMTP server, `smtp://` or `smtps://`. `readSmtpUrl` says which ones are taken. */
  smtpUrl: string
  /** The sender: `chat@shop.example`, or `Shop <chat@shop.example>`. */
  from: string
}

export interface Mail {
  /** One address. */
  to: string
  /** Names the mail for good: a server or reader that gets it twice can drop the second one. */
  id: string
  subject: string
  text: string
  html: string
  /** The page that ends such mails, which also takes the POST of a mail program (RFC 8058). */
  unsubscribeUrl?: string
}

/** Why a server has not taken a mail. It contains neither the address nor what the server says, which may quote it. */
export interface MailFailure {
  reason: string
  /** The address does not exist, so every mail to it will fail. */
  isAddressRefused: boolean
  /** The server will never take this mail, or may have taken it: it must not be sent again. */
  isFinal: boolean
}

/** Sends mails through an SMTP server. Tests use a real one: `startSmtpServer` in `../testing/smtpServer.ts`. */
export interface Mailer {
  /**
   * Resolves to `null` if the server has taken the mail, otherwise to why not. If the connection breaks before the server has
   * answered, it may have taken it nevertheless.
   */
  send(mail: Mail, abortSignal: AbortSignal): Promise<MailFailure | null>
}

/** The time without any answer of the server after which an attempt fails. */
const silenceMs = 10_000

/** Creates a mailer. It connects when it sends. Throws an error that says what to do if an option is invalid. */
export function createMailer(options: MailerOptions): Mailer {
  const { hostname, port, protocol, username, password } = readSmtpUrl(options.smtpUrl)
  const from = readSender(options.from)
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port && { port: Number(port) }),
    secure: protocol === 'smtps:',
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    // Otherwise the password could be read on the way to a server that does not offer TLS.
    requireTLS: username !== '' && !ownMachine.includes(hostname),
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, id, unsubscribeUrl, ...content }, signal) {
      // The library would drop these characters, and the email would go to another address.
      if (/[\s<>"(),:;\\]/.test(to))
        return { reason: 'the address has special characters', isAddressRefused: true, isFinal: true }
      if (signal.aborted) return { reason: 'EABORT', isAddressRefused: false, isFinal: false }
      try {
        await transport.sendMail({
          ...content,
          from,
          // An object, so that nothing in it is taken for another recipient.
          to: { name: '', address: to },
          messageId: `<${id}@${domain}>`,
          // Lets programs that answer mails by themselves leave it alone (RFC 3834).
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
          },
          ...(unsubscribeUrl && { list: { unsubscribe: unsubscribeUrl } }),
          signal,
        })
        return null
      } catch (error) {
        return toFailure(error as SmtpError)
      }
    },
  }
}

/** What nodemailer adds to its errors. */
type SmtpError = NodeJS.ErrnoException & {
  responseCode?: number
  response?: string
  command?: string
  timeoutType?: string
}

function toFailure(error: SmtpError): MailFailure {
  const { code = 'the mail is invalid', responseCode, response = '', command } = error
  const isRefused = responseCode !== undefined && responseCode >= 500
  // Other codes can be about the sender, such as one that may not relay or is on a list: no fault of the address (RFC 3463).
  const isAddressRefused =
    isRefused && command === 'RCPT TO' && /^\d{3}[ -]5\.(?:1\.(?:1|2|3|6|10)|2\.1)\b/.test(response)
  return {
    reason: responseCode === undefined ? code : `status ${responseCode} at ${command}`,
    isAddressRefused,
    isFinal: isAddressRefused || (isRefused && command === 'DATA') || mayHaveArrived(error),
  }
}

/** Whether a connection has ended before the server has answered, so that it may have taken the mail. */
const mayHaveArrived = ({ code = '', responseCode, syscall, timeoutType = 'SOCKET_TIMEOUT' }: SmtpError): boolean =>
  responseCode === undefined &&
  syscall !== 'connect' &&
  (code === 'ETIMEDOUT' ? timeoutType === 'SOCKET_TIMEOUT' : ['ESOCKET', 'ECONNECTION', 'EABORT'].includes(code))

/** Parses the address of an SMTP server. Throws an error that says what to do, and does not show the address: it may contain a password. */
export function readSmtpUrl(text: string): URL {
  const url = URL.parse(text)
  const isUsable =
    url && /^smtps?:$/.test(url.protocol) && url.hostname && /^\/?$/.test(url.pathname) && !url.search && !url.hash
  // A malformed escape would fail later.
  if (!isUsable || !isDecodable(url.username) || !isDecodable(url.password))
    throw new Error('Must be smtps://user:password@host:465 or smtp://host:587, with % escapes for special characters.')
  return url
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Parses the sender of emails. Throws an error that says what to do. */
export function readSender(text: string): { name: string; address: string } {
  const [sender, ...others] = addressparser(text, { flatten: true })
  if (!sender || others.length > 0 || !('output' in validate(emailSchema, sender.address)))
    throw new Error('Must be an address such as chat@shop.example, or Shop <chat@shop.example>.')
  return sender
}
