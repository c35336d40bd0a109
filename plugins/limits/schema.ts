// The limits as they are written: the shape that later versions of the interface export as `api_limits`.

import { type Static, type TSchema, Type } from '../../sdk/index.ts'

/** One kind of limit: what holds for every role, and what holds for single ones instead. */
const limitOf = <S extends TSchema>(value: S) =>
  Type.Object({ global: value, per_role: Type.Optional(Type.Record(Type.String(), value)) }, closed)

const closed = { additionalProperties: false }

const Count = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** A day is more than any request may want, and what a timer can hold. */
const Seconds = Type.Number({ exclusiveMinimum: 0, maximum: 86_400 })

/** How often one client may ask. */
export const RateLimit = Type.Object(
  {
    max_reqs_per_min: Count,
    /** `IP`, or the session variables that tell clients apart; absent or null: all of the role count together. */
    unique_params: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])),
  },
  closed,
)
export type RateLimit = Static<typeof RateLimit>

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

/** A kind of limit with values of a type. */
export interface Limit<T> {
  readonly global: T
  readonly per_role?: Readonly<Record<string, T>>
}

/** What holds for a role; null: nothing does. */
export function limitFor<T>(limit: Limit<T> | undefined, role: string): T | null {
  if (!limit) return null
  const { global, per_role: perRole = {} } = limit
  return Object.hasOwn(perRole, role) ? perRole[role]! : global
}
