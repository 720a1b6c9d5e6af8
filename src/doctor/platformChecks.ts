import { count } from '../platform/count.ts'
import { type CheckResult, type DoctorTarget, failed, ok, originOf, request } from './check.ts'

/** How far the clocks of the platform and this machine may differ. */
const maxSkewMs = 60_000
/** How long a cache may keep the script. */
const maxAgeSeconds = 300
/** The events of the stream check come 300 ms apart; a buffering proxy passes them on together. */
const minGapMs = 150

/** Checks that the platform answers; returns its version if it does. */
export async function* checkHealth(target: DoctorTarget): AsyncGenerator<CheckResult, string | undefined> {
  const { baseUrl } = target
  const response = await request(target, `${baseUrl}/healthz`)
  const body = (await response.json().catch(() => null)) as { data?: { version?: string } } | null
  const version = body?.data?.version
  if (response.ok && version !== undefined) {
    yield ok('health', `Natter ${version} answers at ${baseUrl}`)
    return version
  }
  const fix = /\/v1$/.test(baseUrl)
    ? 'Leave /v1 out: the base URL is the address before it.'
    : 'Start "natter serve", let the proxy pass on all paths, or name the address with --base-url.'
  yield failed('health', `${baseUrl}/healthz answers ${response.status}, but not as Natter does`, fix)
  return undefined
}

/** The script and the files that it fetches. */
export async function* checkScript(target: DoctorTarget, version: string): AsyncGenerator<CheckResult> {
  const { baseUrl } = target
  const address = `${baseUrl}/natter.js`
  // Without this header Node does not ask for brotli where there is no TLS.
  const response = await request(target, address, { headers: { 'accept-encoding': 'br, gzip' } })
  if (!response.ok) {
    await response.body?.cancel()
    const fix = 'Let the proxy pass on /natter.js and /natter@*. From a checkout, run "npm run build".'
    return yield failed('script', `${address} answers ${response.status}`, fix)
  }
  const text = await response.text()
  const { headers } = response
  const parts = [...new Set(text.match(/natter@[\w.+-]+\/[\w.-]+\.js/g))]
  const versions = new Set(parts.map(part => /@([^/]+)/.exec(part)?.[1]))
  const age = Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1] ?? Number.NaN)
  if (!(age <= maxAgeSeconds))
    yield failed(
      'script',
      `${address} has Cache-Control: ${headers.get('cache-control') ?? '(none)'}`,
      `Let the proxy pass on the platform's own header, max-age=${maxAgeSeconds}: visitors would keep an old version.`,
    )
  else if (!versions.has(version))
    yield failed(
      'script',
      `${address} is of version ${[...versions].join(', ') || 'unknown'}, and the platform of ${version}`,
      'A cache keeps an old script, or the platform runs several versions: empty the cache, or update all nodes.',
    )
  else yield* checkParts(target, parts)
  yield headers.has('content-encoding')
    ? ok('compression', `${address} comes with ${headers.get('content-encoding')}`)
    : failed(
        'compression',
        `${address} comes uncompressed`,
        'Let the proxy pass on the request header Accept-Encoding.',
      )
}

async function* checkParts(target: DoctorTarget, parts: string[]): AsyncGenerator<CheckResult> {
  for (const part of parts) {
    const response = await request(target, `${target.baseUrl}/${part}`, { headers: { origin: originOf(target.site) } })
    await response.body?.cancel()
    const isReadable = response.headers.get('access-control-allow-origin') === '*'
    if (response.ok && isReadable) continue
    const found = response.ok ? 'has no Access-Control-Allow-Origin: *' : `answers ${response.status}`
    return yield failed('script', `${target.baseUrl}/${part} ${found}`, 'Let the proxy pass on /natter@* unchanged.')
  }
  yield ok('script', `natter.js and its ${count(parts.length, 'part')} are reachable and fresh`)
}

/** Whether pages of the site may use the bot. */
export async function checkOrigin(target: DoctorTarget): Promise<CheckResult> {
  const { baseUrl, botId, site } = target
  const origin = originOf(site)
  const response = await request(target, `${baseUrl}/v1/bots/${encodeURIComponent(botId)}/widget`, {
    headers: { origin },
  })
  await response.body?.cancel()
  const allowed = response.headers.get('access-control-allow-origin')
  if (response.ok && (allowed === origin || allowed === '*')) return ok('origin', `the bot allows pages of ${origin}`)
  if (response.status === 404)
    return failed('origin', `there is no bot ${botId}`, 'Correct data-bot-id: "natter bot list" shows the ids.')
  if (response.status === 403)
    return failed('origin', `the bot refuses pages of ${origin}`, `natter bot update ${botId} --add-origin ${origin}`)
  const found = response.ok ? `Access-Control-Allow-Origin: ${allowed ?? '(none)'}` : `${response.status}`
  return failed(
    'origin',
    `the bot's profile answers ${found}`,
    'Let the proxy pass on Origin, and CORS headers unchanged.',
  )
}

/** Whether events arrive one by one, and not at the end of the stream. */
export async function checkStream(target: DoctorTarget): Promise<CheckResult> {
  const address = `${target.baseUrl}/v1/stream-check`
  const response = await request(target, address)
  if (!response.ok || !response.body)
    return failed('stream', `${address} answers ${response.status}`, 'Let the proxy pass on this path.')
  const arrivals: number[] = []
  try {
    for await (const _ of response.body) arrivals.push(target.now())
  } catch {
    return failed('stream', `${address} breaks off`, 'Let the proxy keep responses open for more than 15 seconds.')
  }
  const fix = 'Turn off buffering and compression of text/event-stream in the proxy.'
  if (response.headers.has('content-encoding')) return failed('stream', 'events are compressed on their way', fix)
  const spreadMs = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)
  return spreadMs >= minGapMs
    ? ok('stream', 'events arrive as they are sent')
    : failed('stream', 'events arrive together, at the end of the stream', fix)
}

/** Whether the platform's clock agrees with the clock of this machine. */
export async function checkClock(target: DoctorTarget): Promise<CheckResult> {
  const response = await request(target, `${target.baseUrl}/healthz`)
  await response.body?.cancel()
  const at = Date.parse(response.headers.get('date') ?? '')
  const skewMs = Math.abs(at - target.now())
  if (skewMs <= maxSkewMs) return ok('clock', 'the clocks of the platform and this machine agree')
  const found = Number.isNaN(skewMs)
    ? 'the platform sends no Date'
    : `the clocks differ by ${Math.round(skewMs / 1000)} s`
  return failed('clock', found, 'Run a time service such as chrony or systemd-timesyncd on both machines.')
}
