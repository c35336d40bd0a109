// Loaded by `npm test` before the files of a process. Node's test runner follows every promise, to name the test that an
// uncaught error belongs to. That takes a third of the time of most tests, so here it follows none: an uncaught error
// fails its process instead, which `test/run.ts` reports.

import hooks from 'node:async_hooks'

const { createHook } = hooks

hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  hook.enable = () => hook
  return hook
}
// The runner takes the function when it is loaded; all other code gets the original.
await import('node:test')
hooks.createHook = createHook
