import type { Table } from '../report.ts'

// Our assumptions. If your numbers differ, change them here and run the benchmark again.
/** How long a visitor's stream stays open. */
export const minutesOpen = 10
/** The time between two messages of a visitor. */
export const minutesBetween = 5
/** The share of each core that may be used, so that the remaining nodes can carry the load of one that fails. */
export const targetUtilization = 0.6
/** A database server; `walMegabytes` is what its disks can write per second. */
export const server = { cores: 16, connections: 500, walMegabytes: 50, cacheGigabytes: 48 }
export const busCores = 4
/** Default settings of Natter and PostgreSQL. */
export const defaults = { connectionsOfNode: 10, connections: 100 }
/** Connections that nodes cannot use: PostgreSQL keeps three, five are for commands, and an upgrade starts one more node. */
export const otherConnections = { superusers: 3, commands: 5, upgrade: defaults.connectionsOfNode }
/**
 * Megabytes of each thousand streams after the first, as the benchmark of one process measures. The first thousand also
 * make the heap grow to what a working node needs.
 */
export const furtherMegabytes = 40

export const assumptions: Table = {
  title: 'Assumptions',
  columns: ['', ''],
  rows: [
    ["a visitor's stream is open for", `${minutesOpen} minutes`],
    ['a visitor with an open stream writes every', `${minutesBetween} minutes`],
    ['the reply', '60 words, streamed one by one'],
    ['for each opened stream', 'one token, one update of a contact, two reads, a tenth of a search'],
    ['cost of each operation', 'as measured with four nodes'],
    ['used share of each core', `${targetUtilization * 100} %`],
    [
      'a PostgreSQL server',
      `${server.cores} cores, ${server.cacheGigabytes} GB for its cache, ${server.connections} connections, ${server.walMegabytes} MB/s of write-ahead log`,
    ],
    ['a NATS server', `${busCores} cores`],
    [
      'memory of each further thousand streams',
      `${furtherMegabytes} MB, as \`npm run bench -- streams\` measures on one process`,
    ],
    [
      'connections that nodes cannot use',
      `${otherConnections.superusers} for superusers, ${otherConnections.commands} for commands, ${otherConnections.upgrade} for the extra node of an upgrade`,
    ],
  ],
}
