// Weather of another server, joined to the rows of a table; and its reports, joined to the table.

import {
  type AnswerError,
  answered,
  badRequest,
  builtInType,
  definePlugin,
  type Engine,
  type FieldMap,
  fieldMap,
  graphql,
  type MemberPlanner,
  type ResolvedPlanner,
  type ResolvedRowPlanner,
  type SchemaScope,
  type TableModel,
} from 'trellis'
import { planRow, rowType } from 'trellis/tables'

const { GraphQLFloat, GraphQLList, GraphQLObjectType, GraphQLString } = graphql

interface Report {
  readonly code: string
  readonly temperature: number | null
}

/** Asks the other server about harbours, by their codes. */
async function reportsOf(engine: Engine, url: string, codes: readonly string[], signal: AbortSignal | null) {
  const body = JSON.stringify({ codes })
  const response = await engine.outgoing.send({ method: 'POST', url, body, timeout: 2000, signal })
  if (response.status !== 200) throw badRequest('remote-error', 'nobody knows the weather')
  return JSON.parse(String(response.body)) as readonly Report[]
}

/** `Harbour.temperature`: one request for all rows of the answer. */
const temperature = (engine: Engine, url: string): ResolvedRowPlanner => ({
  kind: 'resolved',
  partial: true,
  needs: ['code'],
  async resolve(rows, { signal }) {
    const codes = new Set(rows.map(({ code }) => String(code)))
    const reports = await reportsOf(engine, url, [...codes], signal)
    const byCode = new Map(reports.map((report) => [report.code, report.temperature]))
    return rows.map(({ code }) => byCode.get(String(code)) ?? badRequest('not-found', `no weather in ${code}`))
  },
})

/** `Query.weather(codes)`: missing codes are errors beside the other values. */
const weather = (engine: Engine, url: string): ResolvedPlanner => ({
  kind: 'resolved',
  partial: true,
  async resolve({ args, signal }) {
    const reports = await reportsOf(engine, url, args.codes as string[], signal)
    const errors = reports.flatMap(({ temperature: told }, i): AnswerError[] =>
      told === null ? [{ message: 'no thermometer', code: 'not-found', path: [i, 'temperature'] }] : [],
    )
    return answered(reports, { errors, headers: { 'cache-control': 'max-age=60' } })
  },
})

const harbours = { schema: 'public', name: 'harbour' }

/** `Report.harbour`: the row that a report's code leads to, for roles that may select harbours. */
const harbourOfReport: MemberPlanner = {
  kind: 'relational',
  needs: { code: builtInType('text') },
  plan(field, context) {
    const { table, select } = context.schema.access(harbours)!
    const rows = select!.row({ mapping: [['code', 'code']] })
    return { kind: 'one', unique: true, select: { rows, output: planRow(field, context, table) } }
  },
}

function reportType(scope: SchemaScope) {
  const harbour = scope.access(harbours)
  return scope.type('Report', () => {
    const fields = { code: { type: GraphQLString }, temperature: { type: GraphQLFloat } }
    if (!harbour?.select) return new GraphQLObjectType({ name: 'Report', fields })
    const related = { type: rowType(scope, harbour.table), extensions: { member: harbourOfReport } }
    return new GraphQLObjectType({ name: 'Report', fields: { ...fields, harbour: related } })
  })
}

/** The plugin, for the server at that URL. */
export default (url: string) =>
  definePlugin({
    name: 'weather',
    dependencies: ['tables', 'graphql'],
    register(engine) {
      const ofRows = (scope: SchemaScope, table: TableModel): FieldMap => {
        const isShown = table.name.name === 'harbour' && scope.access(table.name)?.select?.columns.has('code')
        if (!isShown) return fieldMap({})
        return fieldMap({
          temperature: () => ({ type: GraphQLFloat, extensions: { row: temperature(engine, url) } }),
        })
      }
      const ofRoot = (scope: SchemaScope): FieldMap =>
        fieldMap({
          weather: () => ({
            type: new GraphQLList(reportType(scope)),
            args: { codes: { type: new GraphQLList(GraphQLString) } },
            extensions: { root: weather(engine, url) },
          }),
        })
      engine.metadata.typeNames({ fixed: ['Report'] })
      engine.graphql.contribute({ name: 'weather', rowFields: ofRows, query: ofRoot })
    },
  })
