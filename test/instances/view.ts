// All that clients can see of an instance's metadata.

import {
  getIntrospectionQuery,
  type IntrospectionField,
  type IntrospectionObjectType,
  type IntrospectionQuery,
  type IntrospectionType,
  type IntrospectionTypeRef,
} from 'graphql'
import type { TestClient } from '../support/client.ts'

const roles = ['admin', 'reader', 'writer']

export interface View {
  readonly version: number
  readonly document: unknown
  readonly inconsistent: unknown
  /** Each role's schema. */
  readonly schemas: readonly unknown[]
  /** The rows that each role gets when it asks for everything. */
  readonly rows: readonly unknown[]
}

/** The version that an instance serves. */
export async function servedVersion({ op }: TestClient): Promise<number> {
  return (await op<{ resource_version: number }>('export_metadata', {}, { version: 2 })).resource_version
}

export async function viewOf(client: TestClient): Promise<View> {
  const schemas = await Promise.all(
    roles.map(async (role) => {
      const answer = await client.graphql<{ data: IntrospectionQuery }>(getIntrospectionQuery(), {}, { role })
      return answer.data
    }),
  )
  const rows = await Promise.all(
    roles.map((role, i) => {
      const query = queryForAll(schemas[i]!)
      return query === null ? null : client.graphql(query, {}, { role, headers: { 'x-service-user-id': 'Dawn' } })
    }),
  )
  const exported = await client.op<{ resource_version: number; metadata: unknown }>(
    'export_metadata',
    {},
    { version: 2 },
  )
  const { resource_version: version, metadata: document } = exported
  return { version, document, inconsistent: await client.op('get_inconsistent_metadata', {}), schemas, rows }
}

const bare = (type: IntrospectionTypeRef): { readonly kind: string; readonly name: string } =>
  'ofType' in type && type.ofType ? bare(type.ofType as IntrospectionTypeRef) : (type as { kind: string; name: string })

const needsNothing = ({ args }: IntrospectionField): boolean => args.every(({ type }) => type.kind !== 'NON_NULL')

const isObject = (type: IntrospectionType): type is IntrospectionObjectType => type.kind === 'OBJECT'

/** Every root field without required arguments, with the scalars of its rows; null without such fields. */
function queryForAll({ __schema: { types, queryType } }: IntrospectionQuery): string | null {
  const objects = new Map(types.filter(isObject).map((type) => [type.name, type]))
  const fields = (objects.get(queryType.name)?.fields ?? []).filter(needsNothing).flatMap((field) => {
    const scalars = (objects.get(bare(field.type).name)?.fields ?? [])
      .filter((each) => needsNothing(each) && ['SCALAR', 'ENUM'].includes(bare(each.type).kind))
      .map(({ name }) => name)
    return scalars.length === 0 ? [] : [`${field.name} { ${scalars.join(' ')} }`]
  })
  return fields.length === 0 ? null : `{ ${fields.join(' ')} }`
}
