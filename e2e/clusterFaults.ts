import type { Cluster } from './cluster.ts'

/** A temporary failure of one part of a cluster. */
export interface Fault {
  what: string
  begin(): unknown
  end(): unknown
  /** Whether a session can be revoked on every node during the fault. If not, it is revoked afterwards. */
  isRevocable: boolean
}

/** All kinds of faults. The first node is available whenever a session can be revoked. */
export function listFaults({ postgres, nats, nodes }: Cluster, first: number): Fault[] {
  const [one, two, three] = nodes.map((_, index) => nodes[(index + first) % nodes.length])
  // A node that cannot reach the store learns of the revocation over the bus.
  const oneNodeAffected = { isRevocable: nats !== undefined }
  const allNodesAffected = { isRevocable: false }
  const natsFault = (what: string, begin: () => unknown, end: () => unknown): Fault[] =>
    nats ? [{ what, begin, end, isRevocable: true }] : []
  return [
    // The first two have effects for 30 s, which pass during the others: the leases of the killed node, and upserts whose
    // connection was cut.
    { what: 'a node is killed', begin: () => one?.kill(), end: () => one?.serve(), ...allNodesAffected },
    {
      what: 'a node loses its connection to PostgreSQL',
      begin: () => two?.proxy.cut(),
      end: () => two?.proxy.mend(),
      ...oneNodeAffected,
    },
    { what: 'PostgreSQL is stopped', begin: postgres.stop, end: postgres.start, ...allNodesAffected },
    ...natsFault(
      'NATS is stopped',
      () => nats?.kill(),
      () => nats?.start(),
    ),
    ...natsFault(
      'NATS hangs',
      () => nats?.signal('SIGSTOP'),
      () => nats?.signal('SIGCONT'),
    ),
    {
      what: 'PostgreSQL hangs',
      begin: () => nodes.map(({ proxy }) => proxy.stall()),
      end: () => nodes.map(({ proxy }) => proxy.mend()),
      ...allNodesAffected,
    },
    {
      what: 'a node’s connection to PostgreSQL stalls',
      begin: () => three?.proxy.stall(),
      end: () => three?.proxy.mend(),
      ...oneNodeAffected,
    },
  ]
}
