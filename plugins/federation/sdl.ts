// The SDL that a gateway composes: without the fields and types of federation, with the keys of entities.

import { type GraphQLNamedType, isObjectType } from 'graphql'
import { type PlannedSchema, placeholderField } from '../../sdk/graphql.ts'
import type { PrintedSchema, SdlForm } from '../role-schemas/index.ts'
import { entitiesOf, ownTypes } from './graphql/entities.ts'
import { ownFields } from './graphql.ts'

/** The directive that imports those of federation, with its definition: some tools do not know it. */
const link = `directive @link(
  url: String!
  as: String
  for: link__Purpose
  import: [link__Import]
) repeatable on SCHEMA

scalar link__Import

enum link__Purpose {
  SECURITY
  EXECUTION
}

extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])
`

const typeNames: ReadonlySet<string> = new Set(ownTypes)
const fieldNames: ReadonlySet<string> = new Set([...Object.values(ownFields), placeholderField])
const rootKinds = ['query', 'mutation', 'subscription'] as const

/** The form of the SDL for gateways. */
export const subgraphForm: SdlForm = {
  shows(type, member, schema) {
    if (!member) return !typeNames.has(type.name)
    return !fieldNames.has(member.name) || rootKinds.every((kind) => schema.root(kind).name !== type.name)
  },
  directivesOf(type, schema) {
    const key = keyOf(type, schema)
    return key === null ? '' : ` @key(fields: ${JSON.stringify(key)})`
  },
}

function keyOf(type: GraphQLNamedType, schema: PlannedSchema): string | null {
  const entity = isObjectType(type) && type.extensions.table ? entitiesOf(schema).get(type.name) : undefined
  return entity ? [...entity.key.keys()].join(' ') : null
}

/** The whole text. */
export const subgraphText = ({ types }: PrintedSchema): string =>
  [link, ...types.map(({ text }) => `${text}\n`)].join('\n')
