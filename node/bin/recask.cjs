#!/usr/bin/env node
const { command, RecaskError } = require('../dist/index.cjs')

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt)

command(process.argv.slice(2), { signal: stop.signal }).then(
  (status) => {
    process.exitCode = status
  },
  (error) => {
    if (!(error instanceof RecaskError)) throw error
    process.stderr.write(`error[${error.code}]: ${error.message}\n`)
    process.exitCode = 1
  },
)

/** The first time the work stops, the second time the process ends. */
function interrupt() {
  if (stop.signal.aborted) process.exit(130)
  stop.abort()
  if (process.stderr.isTTY) process.stderr.write('\nstopping and leaving a valid store; press Ctrl-C again to end at once\n')
}
