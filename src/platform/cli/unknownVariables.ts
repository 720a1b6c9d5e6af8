import { serveOptions } from './serveOptions.ts'

const prefix = 'NATTER_'

/** Variables of other programs: an organization's server and the tests. */
const others =
  /^NATTER_(?:BOT_ID|ORGANIZATION_TOKEN|EVENTS_SECRET|RESPONDER_SECRET|CHROMIUM|FIREFOX|WEBKIT|BUN|DENO|NATS|TEST_.*)$/

/** A warning for each unknown `NATTER_*` variable: a misspelt one would be silently ignored. */
export function unknownVariables(environment: Record<string, string | undefined>): string[] {
  const known = serveOptions.flatMap(({ envVar = [] }) => envVar)
  return Object.keys(environment)
    .filter(name => name.startsWith(prefix) && !others.test(name) && !known.includes(name))
    .sort()
    .map(name => {
      const near = nearest(name, known)
      const advice = near ? `did you mean ${near}?` : '"natter serve --help" lists them.'
      return `${name} is not a variable of Natter: ${advice}`
    })
}

/** The known name that begins like a misspelt or shortened one, for at least half of what follows the prefix. */
function nearest(name: string, known: string[]): string | undefined {
  const shortest = (prefix.length + name.length) / 2
  for (let length = name.length; length >= shortest; length--) {
    const found = known.find(each => each.startsWith(name.slice(0, length)))
    if (found) return found
  }
  return undefined
}
