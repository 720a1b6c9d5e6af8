#!/usr/bin/env node

// Check the version before importing the rest: an older Node fails on modules that it lacks.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  // Node 22 warns of `node:sqlite`. An option in the first line would fail where `env` has no `-S`, as in Alpine.
  const printers = process.listeners('warning')
  process.removeAllListeners('warning').on('warning', warning => {
    if (warning.name !== 'ExperimentalWarning') for (const print of printers) print(warning)
  })
  const { main } = await import('./cli/main.ts')
  await main(process.argv.slice(2))
} else {
  process.stderr.write(`natter: needs Node 22.18 or later, and this is ${process.versions.node}\n`)
  process.exitCode = 1
}

export {}
