#!/usr/bin/env node

// Asked first, and the rest imported afterwards: an older Node would stop at a module that it doesn't have.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  const { main } = await import('./main.ts')
  await main(process.argv.slice(2), process.env)
} else {
  process.stderr.write(`natter: needs Node 22.18 or later, and this is ${process.versions.node}\n`)
  process.exitCode = 1
}

export {}
