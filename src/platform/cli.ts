#!/usr/bin/env -S node --disable-warning=ExperimentalWarning

// Check the version before importing the rest: an older Node fails on modules that it lacks.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= 18)) {
  const { main } = await import('./cli/main.ts')
  await main(process.argv.slice(2), process.env)
} else {
  process.stderr.write(`natter: needs Node 22.18 or later, and this is ${process.versions.node}\n`)
  process.exitCode = 1
}

export {}
