// Records each mutation before it runs, and its end: an interrupted one stays without an end.

import { definePlugin, type GraphQLOperation, type GraphQLRequest, graphql, operation, Type } from 'trellis'

/** The root fields that an operation names, fragments and all. */
function rootFields({ node, fragments }: GraphQLOperation): string[] {
  const namesIn = ({ selections }: graphql.SelectionSetNode): string[] =>
    selections.flatMap((selection) => {
      if (selection.kind === graphql.Kind.FIELD) return selection.name.value
      const isInline = selection.kind === graphql.Kind.INLINE_FRAGMENT
      const fragment = isInline ? selection : fragments.get(selection.name.value)
      return fragment ? namesIn(fragment.selectionSet) : []
    })
  return [...new Set(namesIn(node.selectionSet))]
}

const getAudit = operation({
  type: 'get_audit',
  args: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })) }),
  editsMetadata: false,
  access: 'READ ONLY',
  handle: ({ transaction }, { limit = 100 }) =>
    transaction.rows('select role, fields, failed from trellis.audit order by id desc limit $1', [limit]),
})

export default definePlugin({
  name: 'audit',
  dependencies: ['graphql'],
  migrations: [
    {
      name: '1',
      sql: `create table trellis.audit (id bigint generated always as identity primary key, role text not null,
        fields text[] not null, failed boolean)`,
    },
  ],
  register(engine) {
    const { database } = engine
    /** Null when the request is refused anyway. */
    const operationOf = (request: GraphQLRequest) => {
      try {
        return engine.graphql.operation(request)
      } catch {
        return null
      }
    }
    engine.operations.add(getAudit)
    engine.around({
      async operation(work, run) {
        const asked = operationOf(work.request)
        if (asked?.kind !== 'mutation') return run()
        const insert = 'insert into trellis.audit (role, fields) values ($1, $2) returning id'
        const [row] = await database.rows(insert, [work.session.role, rootFields(asked)])
        const update = 'update trellis.audit set failed = $1 where id = $2'
        // A failure here does not change the answer.
        const end = (failed: boolean) => database.rows(update, [failed, row!['id']]).catch(() => {})
        const answer = await run().catch(async (error) => {
          await end(true)
          throw error
        })
        await end(false)
        return answer
      },
    })
  },
})
