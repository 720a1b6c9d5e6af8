import type { Bot } from '../platform/store/store.ts'
import { type CheckResult, type DoctorTarget, failed, note, ok, request } from './check.ts'

/** Tries an address of the bot with a request without a signature, which a receiver must refuse. */
export async function checkWebhook(target: DoctorTarget, check: string, url: string): Promise<CheckResult> {
  const headers = { 'content-type': 'application/json' }
  const { status, body } = await request(target, url, { method: 'POST', headers, body: '{}' })
  await body?.cancel()
  if ([400, 401, 403].includes(status)) return ok(check, `${url} refuses a request without a signature (${status})`)
  const fix =
    status < 300
      ? 'It takes a forged request: check the signature with verifyWebhook, and answer 401.'
      : status < 400
        ? 'Redirects are not followed: give the bot the address that it leads to.'
        : status < 500
          ? 'Mount the receiver there, for POST, and let it answer 401.'
          : 'See the log of the receiver: it must answer 401.'
  return failed(check, `${url} answers ${status} to a request without a signature, not 401`, fix)
}

/** The addresses that the platform calls for the bot, by the names of their checks. */
export const webhooksOf = ({ responder, events }: Bot): [check: string, url: string][] => [
  ...(responder.kind === 'webhook' ? [['webhook', responder.url] as [string, string]] : []),
  ...(events ? [['events', events.url] as [string, string]] : []),
]

export const unknownBot = (botId: string): CheckResult =>
  note('webhook', `the database has no bot ${botId}`, "Name that of the bot's platform with --database.")
