// `npm start`: plain JavaScript, so that a Node that cannot run the program's TypeScript says so in one line. `npm ci`
// brings a Node that can; without development dependencies, or without their install scripts, it is whichever is installed.

const fail = (reason) => {
  process.stderr.write(`Fatal Error: ${reason}\n`)
  process.exit(1)
}

if (!process.features.typescript) {
  fail(
    `Node ${process.versions.node} cannot run TypeScript: install Node 24, or run npm ci with scripts and development dependencies, which brings it`,
  )
}

try {
  await import('./trellis.ts')
} catch (error) {
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
  if (!missing) throw error
  fail(`the package ${missing} is not installed: run npm ci`)
}
