// A plugin that reports the server's longest turn in CPU time, so that other programs on the machine and waiting do
// not count. Busy neighbours make the same work take more CPU time, so it also measures a known work.

import { definePlugin } from '../../sdk/index.ts'

const time = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const known = JSON.stringify(Array.from({ length: 200_000 }, (_, i) => ({ id: { _eq: i } })))

/** CPU time that a known work takes at present, in milliseconds. */
function knownWork(): number {
  const began = time()
  for (let i = 0; i < 4; i++) JSON.parse(known)
  return time() - began
}

export default definePlugin({
  name: 'turn-length',
  register(engine) {
    let longest = 0
    let last = time()
    const timer = setInterval(() => {
      const now = time()
      longest = Math.max(longest, now - last)
      last = now
    }, 1)
    timer.unref()
    const common = { method: 'GET', api: null, auth: 'none' } as const
    engine.routes.add({ ...common, url: '/known-work', handle: () => ({ milliseconds: knownWork() }) })
    engine.routes.add({
      ...common,
      url: '/turn-length',
      handle() {
        const milliseconds = longest
        longest = 0
        return { milliseconds }
      },
    })
  },
})
