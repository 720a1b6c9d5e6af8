import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch } from 'undici'
import { AddressRefusedError, type EgressPolicy, isAllowedAddress } from './egressPolicy.ts'

export interface EgressOptions {
  policy: EgressPolicy
  /** Default: the system's. For tests. */
  lookup?: LookupFunction
}

/** Sends requests to addresses that operators configure, over connections of its own. */
export type EgressClient = ReturnType<typeof createEgressClient>

/**
 * Creates the client for webhooks and model endpoints. Each new connection resolves the name once, applies the policy to
 * the result, and connects to an address of that result. So a name cannot pass the check with one address and be called
 * at another (DNS rebinding).
 */
export function createEgressClient({ policy, lookup = resolveName }: EgressOptions) {
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
    // Node does not look up IP addresses, so those in a URL are checked here.
    connect: (options, callback) =>
      isIP(options.hostname) !== 0 && !isAllowedAddress(options.hostname, policy)
        ? callback(new AddressRefusedError(policy), null)
        : connectTo(options, callback),
  })
  const fetchAllowed: typeof fetch = (input, init) => fetch(input, { ...init, dispatcher })
  // The same interface by the same authors: Node's own is a build of this package.
  return {
    /** The interface of the global `fetch`. The error for a refused address has an `AddressRefusedError` among its causes. */
    fetch:
      fetchAllowed as unknown as typeof globalThis.fetch /** Closes all connections, and aborts requests in progress. */,
    close: (): Promise<void> => dispatcher.destroy(),
  }
}
