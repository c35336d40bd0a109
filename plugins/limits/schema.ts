// The shape of the limits, in the option and in the metadata.

import { type Dialect, type PathKey, parseFailed, type Static, type TSchema, Type } from '../../sdk/index.ts'

/** One kind of limit: the value for all roles, and values for single roles instead. */
const limitOf = <S extends TSchema>(value: S) =>
  Type.Object({ global: value, per_role: Type.Optional(Type.Record(Type.String(), value)) }, closed)

const closed = { additionalProperties: false }

const Count = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** A day is longer than any request needs, and within the range of timers. */
const Seconds = Type.Number({ exclusiveMinimum: 0, maximum: 86_400 })

/** The request rate of one client. */
export const RateLimit = Type.Object(
  {
    max_reqs_per_min: Count,
    /**
     * `IP`, or the session variables that identify a client; absent or null: all requests of the role count together.
     */
    unique_params: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])),
  },
  closed,
)
export type RateLimit = Static<typeof RateLimit>

/** The limits on requests in the metadata, and of `--api-limits`. */
export const ApiLimits = Type.Object(
  {
    disabled: Type.Optional(Type.Boolean()),
    depth_limit: Type.Optional(limitOf(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    node_limit: Type.Optional(limitOf(Count)),
    alias_limit: Type.Optional(limitOf(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    batch_limit: Type.Optional(limitOf(Count)),
    time_limit: Type.Optional(limitOf(Seconds)),
    rate_limit: Type.Optional(limitOf(RateLimit)),
  },
  closed,
)
export type ApiLimits = Static<typeof ApiLimits>

/** One kind of limit, with its type of values. */
export interface Limit<T> {
  readonly global: T
  readonly per_role?: Readonly<Record<string, T>>
}

/** The limit of a role; null if there is no limit. */
export function limitFor<T>(limit: Limit<T> | undefined, role: string): T | null {
  if (!limit) return null
  const { global, per_role: perRole = {} } = limit
  return Object.hasOwn(perRole, role) ? perRole[role]! : global
}

/** A rate limit whose parameters cannot distinguish clients; null without one. */
export function rateProblem(
  { rate_limit: limit }: ApiLimits,
  dialect: Dialect,
): { readonly path: readonly PathKey[]; readonly message: string } | null {
  if (!limit) return null
  const roles = Object.entries(limit.per_role ?? {}).map(([role, each]) => [['per_role', role], each] as const)
  const wrong = [[['global'], limit.global] as const, ...roles].find(([, each]) => !distinguishes(each, dialect))
  if (!wrong) return null
  const expected = `"IP", or session variables other than ${dialect.roleVariable}, such as ["${dialect.userIdVariable}"]`
  return { path: ['rate_limit', ...wrong[0], 'unique_params'], message: `expecting ${expected}` }
}

function distinguishes({ unique_params: parameters }: RateLimit, dialect: Dialect): boolean {
  if (parameters === undefined || parameters === null) return true
  if (typeof parameters === 'string') return parameters.toLowerCase() === 'ip'
  const isVariable = (name: string) => {
    const lower = name.toLowerCase()
    return lower.startsWith(dialect.sessionPrefix) && lower !== dialect.roleVariable
  }
  return parameters.length > 0 && parameters.every(isVariable)
}

/** The limits in the metadata. */
export const storedLimits = (dialect: Dialect) =>
  Type.Unsafe<ApiLimits>({
    ...ApiLimits,
    convert(given: ApiLimits) {
      const problem = rateProblem(given, dialect)
      if (problem) throw parseFailed(problem.message, problem.path)
      return given
    },
  })
