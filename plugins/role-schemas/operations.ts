// Operations about the GraphQL schemas of roles.

import type { PlannedSchema } from '../../sdk/graphql.ts'
import { badRequest, Type } from '../../sdk/index.ts'
import { ObjectName, operation } from '../../sdk/metadata.ts'
import { inTurns } from '../../sdk/services.ts'
import { compareSchemas } from './differences.ts'
import type { KeptDescriptions } from './kept.ts'
import type { PrintedSchema, PrintedType } from './printed.ts'
import type { SchemaIndex } from './schema-index.ts'
import { searchIndex } from './search.ts'
import { longestText, mostDifferences, mostMatches, pageCharacters, usualDifferences, usualMatches } from './tuning.ts'

/** The schemas of the served model, and their descriptions. */
export interface Schemas {
  of(role: string, backendOnly: boolean): PlannedSchema
  readonly indexes: KeptDescriptions<SchemaIndex>
  readonly printed: KeptDescriptions<PrintedSchema>
}

const nullableText = Type.Union([Type.String(), Type.Null()])
const BackendOnly = Type.Optional(Type.Boolean())

/** They read the served model alone, so they need no connection. */
const reads = { access: 'none', editsMetadata: false, onlyReads: true } as const

const Match = Type.Object(
  {
    path: Type.String(),
    kind: Type.Union([Type.Literal('type'), Type.Literal('field'), Type.Literal('argument')]),
    name: Type.String(),
    type: nullableText,
    description: nullableText,
  },
  { title: 'SchemaMatch' },
)

export const searchSchema = ({ of, indexes }: Schemas) =>
  operation({
    type: 'search_schema',
    about: {
      summary: "Finds types, fields and arguments of a role's GraphQL schema by parts of their names.",
      result: Type.Object({ matches: Type.Array(Match), more: Type.Boolean() }),
    },
    ...reads,
    args: Type.Object({
      role: ObjectName,
      text: Type.String({ minLength: 1, maxLength: longestText }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostMatches })),
      backend_only: BackendOnly,
    }),
    async handle(_, { role, text, limit = usualMatches, backend_only: backendOnly = false }) {
      const index = await indexes.of(of(role, backendOnly))
      const { matches, hasMore } = await inTurns(searchIndex(index, { text, limit }))
      return { matches, more: hasMore }
    },
  })

/** The types of one page; at least one. */
function pageFrom(types: readonly PrintedType[], start: number): readonly PrintedType[] {
  let end = start
  for (let size = 0; end < types.length && size < pageCharacters; end++) size += types[end]!.text.length
  return types.slice(start, end)
}

export const getRoleSchema = ({ of, printed }: Schemas) =>
  operation({
    type: 'get_role_schema',
    about: {
      summary: "Returns a role's GraphQL schema as SDL, in pages if it is long.",
      result: Type.Object({ sdl: Type.String(), next: nullableText }),
    },
    ...reads,
    args: Type.Object({
      role: ObjectName,
      after: Type.Optional(Type.String()),
      backend_only: BackendOnly,
    }),
    async handle(_, { role, after, backend_only: backendOnly = false }) {
      const { types } = await printed.of(of(role, backendOnly))
      const start = after === undefined ? 0 : types.findIndex(({ name }) => name === after) + 1
      if (after !== undefined && start === 0) {
        throw badRequest('not-exists', 'the schema of the role has no such type', { path: ['after'] })
      }
      const page = pageFrom(types, start)
      const isLast = start + page.length === types.length
      const sdl = page.map(({ text }) => `${text}\n`).join('\n')
      return { sdl, next: isLast ? null : page.at(-1)!.name }
    },
  })

const Differing = Type.Object(
  { path: Type.String(), a: Type.String(), b: Type.String() },
  { title: 'SchemaDifference' },
)

/** The differences between two schemas. */
export const Differences = Type.Object(
  {
    only_a: Type.Array(Type.String()),
    only_b: Type.Array(Type.String()),
    differing: Type.Array(Differing),
    more: Type.Boolean(),
  },
  { title: 'SchemaDifferences' },
)

export const diffRoleSchemas = ({ of, indexes }: Schemas) =>
  operation({
    type: 'diff_role_schemas',
    about: { summary: 'Compares the GraphQL schemas of two roles.', result: Differences },
    ...reads,
    args: Type.Object({
      a: ObjectName,
      b: ObjectName,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: mostDifferences })),
      backend_only: BackendOnly,
    }),
    async handle(_, { a, b, limit = usualDifferences, backend_only: backendOnly = false }) {
      const [first, second] = [of(a, backendOnly), of(b, backendOnly)]
      const [indexA, indexB] = [await indexes.of(first), await indexes.of(second)]
      return inTurns(compareSchemas(indexA, indexB, limit))
    },
  })
