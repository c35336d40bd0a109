// `--jwt-secret`: authenticates requests by JSON web token.

import { definePlugin, option, type Static, Type } from '../../sdk/index.ts'

const ClaimsPlace = Type.Object({}, { additionalProperties: true })

/** The place of claims in tokens; null if tokens are not accepted. Interface 2, and several configurations, have a list. */
const Claims = Type.Union([ClaimsPlace, Type.Null(), Type.Array(ClaimsPlace)])

export default definePlugin({
  name: 'auth-jwt',
  options: {
    jwtSecret: option.text({
      flag: 'jwt-secret',
      variable: 'JWT_SECRET',
      laterFlag: 'jwt-secrets',
      laterVariable: 'JWT_SECRETS',
      json: 'object or list',
      placeholder: 'JSON',
      secret: true,
      authenticates: { mode: 'JWT', by: 'token' },
      description:
        'verification of JSON web tokens, as a JSON object: see authentication.md. A JSON array of them: each for the tokens of its issuer; JWT_SECRETS is the variable of later engines',
    }),
  },
  commands: [
    {
      name: 'token',
      description: 'sign a token for development with the key of --jwt-secret',
      flags: {
        role: {
          placeholder: 'ROLE',
          description: 'the role; when repeated, the first is the default and all are allowed',
        },
        claim: { placeholder: 'KEY=VALUE', description: 'a session variable, such as user-id=7; may be repeated' },
        expires: { placeholder: 'TIME', description: 'such as 30m, 12h or 7d, or never; an hour when absent' },
      },
      run: async (call) => (await import('./sign.ts')).signedToken(call),
    },
  ],
  logged: ({ jwtSecret }) => [
    { key: 'jwt_secret', place: 43, value: jwtSecret && { type: '<TYPE REDACTED>', key: '<JWK REDACTED>' } },
  ],
  async register(engine) {
    const { auth, configuration } = engine
    const { jwtSecret } = engine.options
    const isSet = () => auth.mode === 'jwt'
    let configured: readonly Static<typeof ClaimsPlace>[] = []
    // The authenticator of tokens may be another plugin's.
    const places = () => (configured.length > 0 || !isSet() ? configured : [auth.configuration ?? {}])
    const listed = () => places().map((place) => ({ claims_map: null, ...place }))
    const claims = () => (places().length > 1 ? places() : (places()[0] ?? null))
    configuration.add(
      { key: 'is_jwt_set', place: 22, schema: Type.Boolean(), value: isSet },
      { key: 'jwt', place: 23, schema: Claims, value: engine.settings.graphqlInterface === '2' ? listed : claims },
    )
    if (jwtSecret === null) return
    // Loaded on demand: its cryptography library takes longer to load than all other built-in plugins.
    const { authenticateByToken } = await import('./start.ts')
    configured = await authenticateByToken(engine, jwtSecret)
  },
})
