// `--jwt-secret`: requests are authenticated by a JSON web token.

import { definePlugin } from '../../sdk/index.ts'

export default definePlugin({
  name: 'auth-jwt',
  async register(engine) {
    const { jwtSecret } = engine.settings
    if (jwtSecret === null) return
    // Loaded when it is needed: cryptography costs a start more than all the rest of the built-in plugins.
    const { authenticateByToken } = await import('./start.ts')
    await authenticateByToken(engine, jwtSecret)
  },
})
