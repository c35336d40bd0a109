// Creates the authenticator from the option.

import { type Engine, OptionRefusal } from '../../sdk/index.ts'
import { jwtAuthenticator } from './authenticator.ts'
import { type KeySource, readConfiguration } from './configuration.ts'
import { ConfigurationError } from './configuration-error.ts'
import { KeySet } from './key-set.ts'
import { configuredKey } from './keys.ts'

/** The parts of the engine that it needs. */
type Host = Pick<Engine, 'auth' | 'dialect' | 'observe' | 'onClose' | 'outgoing' | 'settings'>

/** Registers the authenticator that `--jwt-secret` configures. */
export async function authenticateByToken(engine: Host, secret: string): Promise<void> {
  const { auth, dialect, settings } = engine
  try {
    const configuration = readConfiguration(secret, dialect)
    const { unauthorizedRole } = settings
    const keys = await keysFrom(configuration.keys, engine)
    auth.use(jwtAuthenticator({ configuration, keys, dialect, unauthorizedRole }))
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new OptionRefusal('jwtSecret', `--jwt-secret (${dialect.environmentPrefix}JWT_SECRET)`, error.message)
  }
}

async function keysFrom(source: KeySource, { dialect, observe, onClose, outgoing }: Host) {
  if (source.kind === 'key') {
    const keys = [configuredKey(source.type, source.key)]
    return () => keys
  }
  // Some configurations name a `type` although the key set has keys of another type. v1.3 ignores it.
  const type = dialect.strictTokens ? source.type : null
  const set = new KeySet({ url: source.url, type, outgoing, observe })
  onClose(() => set.stop())
  await set.start()
  return () => set.keys
}
