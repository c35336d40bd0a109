// The JSON schema of `--jwt-secret`.

import { Type } from '../../sdk/index.ts'

/** The values of `type` with the algorithm names in tokens. */
export const algorithmsOfType = {
  HS256: ['HS256'],
  HS384: ['HS384'],
  HS512: ['HS512'],
  RS256: ['RS256'],
  RS384: ['RS384'],
  RS512: ['RS512'],
  ES256: ['ES256'],
  ES384: ['ES384'],
  ES512: ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
} as const satisfies Record<string, readonly string[]>

export type KeyType = keyof typeof algorithmsOfType

const Text = Type.String({ minLength: 1 })

const KeyType = Type.Union(
  Object.keys(algorithmsOfType).map((type) => Type.Literal(type as KeyType)),
  { message: (type: unknown) => `Invalid JWK: Key type: ${type} is not supported` },
)

const Header = Type.Object({
  type: Type.Union([Type.Literal('Authorization'), Type.Literal('Cookie'), Type.Literal('CustomHeader')]),
  name: Type.Optional(Text),
})

export const JwtSecret = Type.Object({
  type: Type.Optional(KeyType),
  key: Type.Optional(Type.String()),
  jwk_url: Type.Optional(Text),
  claims_namespace: Type.Optional(Text),
  claims_namespace_path: Type.Optional(Text),
  claims_format: Type.Optional(Type.Union([Type.Literal('json'), Type.Literal('stringified_json')])),
  claims_map: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  audience: Type.Optional(Type.Union([Text, Type.Array(Text, { minItems: 1 })])),
  issuer: Type.Optional(Text),
  allowed_skew: Type.Optional(Type.Integer({ minimum: 0 })),
  header: Type.Optional(Header),
})
