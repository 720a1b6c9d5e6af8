/** A parsed address of a database, `postgres://user:password@host:port/database?…`. */
export interface Address {
  /** The address for the driver, without parameters that only Natter understands. */
  url: string
  /** The name for logs, without user and password. */
  name: string
  /** Whether prepared statements survive a transaction. They do not behind a proxy that pools by transaction. */
  keepsStatements: boolean
  /** The maximum number of connections. */
  connections: number
}

const ours = ['pooler', 'connections']
// Parameters that the driver understands.
const tls = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat']
const session = ['host', 'options', 'application_name', 'fallback_application_name', 'client_encoding']
const timeLimits = ['statement_timeout', 'lock_timeout']

export const isPostgres = (database: string): boolean => /^postgres(ql)?:\/\//i.test(database)

/** Throws if the address is invalid. The error never contains a password. */
export function readAddress(text: string): Address {
  const url = URL.parse(text)
  const database = url && readDatabaseName(url)
  if (!url || !database)
    throw new Error(
      'Must be like postgres://user:password@host:5432/database, with / as %2F, # as %23 and % as %25 in a password.',
    )
  refuseUnknown(url.searchParams)
  const pooler = url.searchParams.get('pooler') ?? 'session'
  if (!['session', 'transaction'].includes(pooler)) throw new Error('Must have "transaction" or "session" as pooler.')
  const connections = Number(url.searchParams.get('connections') ?? 10)
  if (!Number.isInteger(connections) || connections < 1)
    throw new Error('Must have a whole number from 1 as connections.')
  for (const own of ours) url.searchParams.delete(own)
  const name = `${url.host}/${database}`
  return { url: url.href, name, keepsStatements: pooler === 'session', connections }
}

/** Throws if a parameter is unknown, for example misspelt: the driver would silently ignore it. */
function refuseUnknown(parameters: URLSearchParams): void {
  const known = [...ours, ...tls, ...session, ...timeLimits]
  const unknown = [...parameters.keys()].find(name => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`Must have no parameter ${JSON.stringify(unknown)} (known: ${known.join(', ')}).`)
}

function readDatabaseName(url: URL): string | null {
  try {
    return decodeURIComponent(url.pathname.slice(1))
  } catch {
    return null
  }
}
