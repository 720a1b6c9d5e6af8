import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch } from 'undici'
import { AddressRefusedError, type EgressPolicy, isAllowedAddress } from './egressPolicy.ts'

export interface EgressOptions {
  policy: EgressPolicy
  /** Default: the system's. For tests. */
  lookup?: LookupFunction
}

/**
 * `fetch` for addresses that operators configure: webhooks and model endpoints. Each new connection resolves the name
 * once, applies the policy to the result, and connects to an address of that result. So a name cannot pass the check
 * with one address and be called at another (DNS rebinding). A refusal has an `AddressRefusedError` among its causes.
 */
export function createEgressFetch({ policy, lookup = resolveName }: EgressOptions): typeof globalThis.fetch {
  const lookupAllowed: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const allowed = (Array.isArray(found) ? found : []).filter(({ address }) => isAllowedAddress(address, policy))
      const [first] = allowed
      if (!first) return callback(new AddressRefusedError(policy), [])
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    })
  const connectTo = buildConnector({ lookup: lookupAllowed })
  const dispatcher = new Agent({
    // Node looks up names only: an IP address in a URL is checked here.
    connect: (options, callback) =>
      isIP(options.hostname) !== 0 && !isAllowedAddress(options.hostname, policy)
        ? callback(new AddressRefusedError(policy), null)
        : connectTo(options, callback),
  })
  const fetchAllowed: typeof fetch = (input, init) => fetch(input, { ...init, dispatcher })
  // The same interface by the same authors: Node's own is a build of this package.
  return fetchAllowed as unknown as typeof globalThis.fetch
}
