import { createStderrSink } from '../middleware/log.ts'
import { type CommandContext, command, type Topic } from './command.ts'
import { printContent } from './faq.ts'
import { oneLine } from './rows.ts'
import { scriptTag } from './scriptTag.ts'
import { serveOptions } from './serveOptions.ts'

/** The time within which the process ends: less than 10 s, after which process managers send SIGKILL. */
const endWithinMs = 9_500

async function run({ values, printLine }: CommandContext<typeof serveOptions>): Promise<void> {
  const { json, dev, host, port, database, content, metrics, egress } = values
  // Loaded here so that the other commands start faster.
  const { startPlatform } = await import('../start.ts')
  const { close, ...access } = await startPlatform({
    host,
    port,
    database,
    content,
    metrics,
    egress,
    dev,
    replaceGlobals: true,
    log: createStderrSink(),
    natsUrl: values['nats-url'],
    rateLimit: values['rate-limit'],
    limits: {
      turnsPerMinute: values['turns-per-minute'],
      conversationTurnsPerMinute: values['conversation-turns-per-minute'],
      sessionsPerMinute: values['sessions-per-minute'],
      addressSessionsPerMinute: values['address-sessions-per-minute'],
      streams: values.streams,
      addressStreams: values['address-streams'],
    },
    trustedProxies: values['trusted-proxies'],
    drainMs: values.drain * 1000,
    agentPauseMs: values['agent-pause'] * 60_000,
    handoverTimeoutMs: values['handover-timeout'] * 60_000,
    unreadAfterMs: values['unread-after'] * 60_000,
    retentionDays: values['retention-days'],
    logLevel: values['log-level'],
    openaiKey: values['openai-api-key'],
    openaiBaseUrl: values['openai-key-base-url'],
    encryptionKeys: values['encryption-keys'],
  })
  const { baseUrl, botId, botName = '', organizationId, organizationToken } = access
  if (json) printLine(JSON.stringify({ baseUrl, botId, organizationToken }))
  else {
    printLine(`Natter listens on ${baseUrl}`)
    if (botId) {
      printLine(`  organization         ${organizationId}`)
      printLine(`  bot                  ${botId}   ${oneLine(botName)}`)
      printLine(`  script tag           ${scriptTag(baseUrl, { id: botId })}`)
    }
    await printContent(content, printLine)
    // A shell takes the variables in this form, and so does a file for `node --env-file`.
    if (organizationToken)
      printLine(`Your server needs these variables:
export NATTER_BASE_URL=${baseUrl}
export NATTER_BOT_ID=${botId}
export NATTER_ORGANIZATION_TOKEN=${organizationToken}
The token ends at the next start. While only your machine reaches the platform, it is no secret. The token of a real site is one:
create it with "npx natter token create --organization ${organizationId}".`)
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

export const serve: Topic = {
  name: 'serve',
  summary: 'Run the platform',
  note: 'The log goes to stderr as lines of JSON. Flags take precedence over variables.',
  commands: [
    command({
      name: 'serve',
      summary: 'Runs the platform until SIGTERM or SIGINT',
      options: serveOptions,
      run,
    }),
  ],
}
