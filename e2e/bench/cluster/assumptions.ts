import type { Table } from '../report.ts'

// Ours: what is reckoned with. Whoever has other numbers puts them in their place.
/** How long a visitor's stream is open, and how much time is between two messages of one. */
export const minutesOpen = 10
export const minutesBetween = 5
/** No more of a core than this, so that the others can bear one that fails. */
export const share = 0.6
/** A database server: what it has, and how much its disks take in a second. */
export const server = { cores: 16, connections: 500, walMegabytes: 50, cacheGigabytes: 48 }
export const busCores = 4
/** What Natter and PostgreSQL come with. */
export const preset = { connectionsOfNode: 10, connections: 100 }

export const assumptions: Table = {
  title: 'What is reckoned with',
  columns: ['', ''],
  rows: [
    ["a visitor's stream is open for", `${minutesOpen} minutes`],
    ['a visitor whose stream is open writes every', `${minutesBetween} minutes`],
    ['the answer', '60 words, which appear one by one'],
    ['for each stream opened', 'one token, one update of a contact, two reads, a tenth of a search'],
    ['what one costs', 'as measured with four nodes'],
    ['used of each core', `${share * 100} %`],
    [
      'a PostgreSQL server',
      `${server.cores} cores, ${server.cacheGigabytes} GB for its cache, ${server.connections} connections, ${server.walMegabytes} MB/s written ahead`,
    ],
    ['a NATS server', `${busCores} cores`],
  ],
}
