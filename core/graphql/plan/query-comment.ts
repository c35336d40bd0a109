// The comment in the statements of an operation, if the source has query tags. It names no values, and is equal for all
// requests of an operation, so that statements stay prepared.

import { createHash } from 'node:crypto'
import { Kind, print, visit } from 'graphql'
import type { PlanContext } from '../read/plan-context.ts'
import { longestComment } from '../tuning.ts'

/** The comment; null: the source has no query tags. */
export function queryComment({ schema, operation }: PlanContext): string | null {
  const format = schema.model.slices.source?.tagFormat ?? null
  if (format === null) return null
  const { kind, node } = operation
  const fields = node.selectionSet.selections.flatMap((each) => (each.kind === Kind.FIELD ? each.name.value : []))
  const names = [...new Set(fields)].join('+').slice(0, longestComment)
  // Subscriptions of several operations share a statement.
  const name = kind === 'subscription' ? undefined : node.name?.value.slice(0, longestComment)
  const tags = { field_name: names, operation_name: name, parameterized_query_hash: hashOf(operation) }
  const given = Object.entries(tags).filter(([, value]) => value !== undefined && value !== '')
  const texts = given.map(([key, value]) =>
    format === 'standard' ? `${key}=${value}` : `${key}='${encodeURIComponent(value!)}'`,
  )
  return ` /* ${texts.join(format === 'standard' ? ', ' : ',')} */`
}

/** A hash of the operation without its values. */
function hashOf({ node }: PlanContext['operation']): string {
  const withoutValues = visit(node, {
    IntValue: (value) => ({ ...value, value: '0' }),
    FloatValue: (value) => ({ ...value, value: '0' }),
    StringValue: (value) => ({ ...value, value: '', block: false }),
    BooleanValue: (value) => ({ ...value, value: true }),
  })
  return createHash('sha1').update(print(withoutValues)).digest('hex')
}
