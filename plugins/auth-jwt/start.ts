// Creates the authenticator from the option.

import { type Engine, OptionRefusal } from '../../sdk/index.ts'
import { jwtAuthenticator } from './authenticator.ts'
import { type JwtConfiguration, type KeySource, placed, readConfigurations } from './configuration.ts'
import { ConfigurationError } from './configuration-error.ts'
import { KeySet } from './key-set.ts'
import { configuredKey } from './keys.ts'

/** The parts of the engine that it needs. */
type Host = Pick<Engine, 'auth' | 'dialect' | 'observe' | 'onClose' | 'outgoing' | 'settings'>

/** Registers the authenticator that `--jwt-secret` configures; returns the parts that administrators may see. */
export async function authenticateByToken(
  engine: Host,
  secret: string,
): Promise<readonly JwtConfiguration['report'][]> {
  const { auth, dialect, settings } = engine
  try {
    const configurations = readConfigurations(secret, dialect)
    const { unauthorizedRole } = settings
    const isList = secret.trimStart().startsWith('[')
    const withKeys = async (configuration: JwtConfiguration, i: number) => {
      const keys = await keysFrom(configuration.keys, engine).catch((error: unknown) => {
        throw isList ? placed(error, i) : error
      })
      return { configuration, keys }
    }
    const issuers = await Promise.all(configurations.map(withKeys))
    auth.use(jwtAuthenticator({ issuers, dialect, unauthorizedRole }))
    return configurations.map(({ report }) => report)
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
