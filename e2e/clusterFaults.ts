import type { Cluster } from './cluster.ts'

/** Something of a cluster that fails, and comes back. */
export interface Fault {
  what: string
  begin(): unknown
  end(): unknown
  /** Whether a session can be revoked, and every node hear of it, while it lasts; else after it. */
  isRevocable: boolean
  /** How soon its streams have ended then. */
  revokedWithinMs: number
}

/** All kinds, the plainest first. The node that has the round's number is there whenever a session can be revoked. */
export function faultsOf({ postgres, nats, nodes }: Cluster, round: number): Fault[] {
  const [one, two, three] = nodes.map((_, n) => nodes[(n + round) % nodes.length])
  const withoutBus = { isRevocable: true, revokedWithinMs: 2000 }
  // What it can't find in the store, the bus tells a node.
  const ofOne = nats ? { isRevocable: true, revokedWithinMs: 1000 } : { ...withoutBus, isRevocable: false }
  const ofAll = { ...ofOne, isRevocable: false }
  const ofNats = (what: string, begin: () => unknown, end: () => unknown): Fault[] =>
    nats ? [{ what, begin, end, ...withoutBus }] : []
  return [
    { what: 'PostgreSQL is stopped', begin: postgres.stop, end: postgres.start, ...ofAll },
    { what: 'a node’s words to it are lost', begin: () => two?.line.cut(), end: () => two?.line.mend(), ...ofOne },
    { what: 'a node is killed', begin: () => one?.kill(), end: () => one?.serve(), ...ofAll },
    ...ofNats(
      'NATS is stopped',
      () => nats?.kill(),
      () => nats?.start(),
    ),
    ...ofNats(
      'NATS hangs',
      () => nats?.signal('SIGSTOP'),
      () => nats?.signal('SIGCONT'),
    ),
    {
      what: 'PostgreSQL hangs',
      begin: () => nodes.map(({ line }) => line.stall()),
      end: () => nodes.map(({ line }) => line.mend()),
      ...ofAll,
    },
    {
      what: 'a node’s words to it are late',
      begin: () => three?.line.stall(),
      end: () => three?.line.mend(),
      ...ofOne,
    },
  ]
}
