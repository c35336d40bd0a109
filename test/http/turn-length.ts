// A plugin that reports the server's longest turn in CPU time, so that other programs on the machine and waiting do
// not count.

import { definePlugin } from '../../sdk/index.ts'

const time = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
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
    engine.routes.add({
      method: 'GET',
      url: '/turn-length',
      api: null,
      auth: 'none',
      handle() {
        const milliseconds = longest
        longest = 0
        return { milliseconds }
      },
    })
  },
})
