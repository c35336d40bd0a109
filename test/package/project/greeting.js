// A plugin in JavaScript.

import { definePlugin } from 'trellis'

export default definePlugin({
  name: 'greeting',
  register({ routes }) {
    routes.add({ method: 'GET', url: '/greeting', auth: 'none', handle: () => ({ hello: 'world' }) })
  },
})
