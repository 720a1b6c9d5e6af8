/** Counts open streams, in total and by the client's address. */
export interface StreamCounts {
  readonly ofAll: number
  ofAddress(address: string | undefined): number
  add(address: string | undefined): void
  remove(address: string | undefined): void
}

export function createStreamCounts(): StreamCounts {
  const byAddress = new Map<string, number>()
  let ofAll = 0

  const ofAddress = (address: string | undefined): number => (address === undefined ? 0 : (byAddress.get(address) ?? 0))
  const change = (address: string | undefined, by: 1 | -1): void => {
    ofAll += by
    if (address === undefined) return
    const left = ofAddress(address) + by
    if (left === 0) byAddress.delete(address)
    else byAddress.set(address, left)
  }

  return {
    get ofAll() {
      return ofAll
    },
    ofAddress,
    add: address => change(address, 1),
    remove: address => change(address, -1),
  }
}
