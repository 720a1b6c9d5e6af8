import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { scriptTag } from '../../contract/scriptTag.ts'
import type { MailerOptions } from '../email/mailer.ts'
import { createStderrSink } from '../http/log.ts'
import type { OidcOptions } from '../platform.ts'
import { type CommandContext, command, UsageError } from './command.ts'
import { printContent } from './content.ts'
import type { ValuesOf } from './option.ts'
import { oneLine } from './rows.ts'
import { serveOptions } from './serveOptions.ts'

/** The time within which the process ends: less than 10 s, after which process managers send SIGKILL. */
const endWithinMs = 9_500

async function run({ values, printLine }: CommandContext<typeof serveOptions>): Promise<void> {
  const { json, dev = false, writeEnv, ...settings } = values
  // Loaded here so that the other commands start faster.
  const { startPlatform } = await import('../start.ts')
  const envFile = dev ? writeEnv : undefined
  const { close, ...access } = await startPlatform({
    // Both take those that have the same name there.
    ...settings,
    limits: settings,
    drainMs: values.drain * 1000,
    agentPauseMs: values.agentPause * 60_000,
    handoverTimeoutMs: values.handoverTimeout * 60_000,
    unreadAfterMs: values.unreadAfter * 60_000,
    openaiKey: values.openaiApiKey,
    openaiBaseUrl: values.openaiKeyBaseUrl,
    oidc: readOidc(values),
    email: readEmail(values),
    dev,
    devToken: envFile && parseEnv(readIfThere(envFile))['NATTER_ORGANIZATION_TOKEN'],
    replaceGlobals: true,
    log: createStderrSink(),
  })
  const { baseUrl, botId, botName = '', organizationId, organizationToken, invitationUrl } = access
  const variables = { NATTER_BASE_URL: baseUrl, NATTER_BOT_ID: botId, NATTER_ORGANIZATION_TOKEN: organizationToken }
  if (envFile) writeVariables(envFile, variables)
  if (json) printLine(JSON.stringify({ baseUrl, botId, organizationToken }))
  else {
    printLine(`Natter listens on ${baseUrl}`)
    printLine(`  guides               ${baseUrl}/docs`)
    if (botId) {
      printLine(`  organization         ${organizationId}`)
      printLine(`  bot                  ${botId}   ${oneLine(botName)}`)
      printLine(`  script tag           ${scriptTag(baseUrl, { id: botId })}`)
    }
    if (invitationUrl) printLine(`  desk, first admin    ${invitationUrl}`)
    await printContent(settings.content, printLine)
    if (envFile) printLine(`  variables            in ${envFile}`)
    // A shell takes the variables in this form, and so does a file for `node --env-file`.
    else if (organizationToken)
      printLine(`Your server needs these variables, which --write-env .env writes into a file for you:
${linesOf(variables, 'export ')}
The token ends at the next start.`)
    if (organizationToken)
      printLine(`While only your machine reaches the platform, the token is no secret. That of a real site is one: create it with
"natter token create --organization ${organizationId}".`)
  }

  let stopping = false
  const stop = async (): Promise<void> => {
    // The second signal ends the process at once.
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), endWithinMs).unref()
    await close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function readOidc(values: ValuesOf<typeof serveOptions>): OidcOptions | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = values
  const isComplete = issuer !== undefined && clientId !== undefined && clientSecret !== undefined
  if (isComplete) return { issuer, clientId, clientSecret, passwords: values.oidcPasswords === 'true' }
  if ([issuer, clientId, clientSecret].every(value => value === undefined)) return undefined
  throw new UsageError('OpenID Connect needs NATTER_OIDC_ISSUER, NATTER_OIDC_CLIENT_ID and NATTER_OIDC_CLIENT_SECRET.')
}

function readEmail({ smtpUrl, emailFrom: from, baseUrl }: ValuesOf<typeof serveOptions>): MailerOptions | undefined {
  if (smtpUrl === undefined && from === undefined) return undefined
  if (smtpUrl !== undefined && from !== undefined && baseUrl !== undefined) return { smtpUrl, from }
  const needed = { NATTER_SMTP_URL: smtpUrl, NATTER_EMAIL_FROM: from, NATTER_BASE_URL: baseUrl }
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []))
  throw new UsageError(`Emails also need ${missing.join(' and ')}.`)
}

const linesOf = (variables: Record<string, string | undefined>, prefix = ''): string =>
  Object.entries(variables)
    .map(([name, value]) => `${prefix}${name}=${value}`)
    .join('\n')

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** Writes variables into a file, and leaves its other lines as they are. */
function writeVariables(file: string, variables: Record<string, string | undefined>): void {
  const before = readIfThere(file)
  const assigned = new RegExp(`^(?:export )?(?:${Object.keys(variables).join('|')})=.*\\n?`, 'gm')
  const others = before.replace(assigned, '').replace(/(?<=.)$(?!\n)/, '\n')
  const after = `${others}${linesOf(variables)}\n`
  if (after !== before) writeFileSync(file, after, { mode: 0o600 })
}

export const serve = command({
  name: 'serve',
  summary: 'Runs the platform until SIGTERM or SIGINT',
  note: 'The log goes to stderr as lines of JSON. Flags take precedence over variables.',
  options: serveOptions,
  run,
})
