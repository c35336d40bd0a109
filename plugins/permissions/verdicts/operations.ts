// `explain_access`: why a role may or may not select or change a row.

import { assumedSession } from '../../../sdk/http.ts'
import {
  badRequest,
  type Dialect,
  type Engine,
  messageOf,
  nameKey,
  nameText,
  parseFailed,
  pathText,
  type Session,
  type Static,
  sessionVariableName,
  Type,
  within,
} from '../../../sdk/index.ts'
import {
  findTable,
  ObjectName,
  type OperationContext,
  operation,
  type TableModel,
  TableName,
} from '../../../sdk/metadata.ts'
import { parseJson } from '../../../sdk/services.ts'
import { aggregateSql, bindParams, type Condition, Printer, prepare, type Rows } from '../../../sdk/sql.ts'
import { resolveExpression } from '../boolean-expression.ts'
import { requireColumn } from '../columns.ts'
import { permissionKinds } from '../schema.ts'
import { mostNodes } from '../tuning.ts'
import { expressionContext, type Verdict, verdictsOf } from './row-verdicts.ts'
import { allNodes, type RuleNode, ruleTree } from './rule-tree.ts'

const Verb = Type.Union(permissionKinds.map((kind) => Type.Literal(kind)))

function notEmpty(key: Readonly<Record<string, unknown>>) {
  if (Object.keys(key).length === 0) throw parseFailed('expecting at least one column')
  return key
}

const ExplainArgs = Type.Object({
  table: TableName,
  key: Type.Record(Type.String(), Type.Unknown(), { minProperties: 1, convert: notEmpty, examples: [{ id: 1 }] }),
  role: ObjectName,
  session: Type.Optional(Type.Record(Type.String(), Type.String())),
  verb: Type.Optional(Verb),
})

type Args = Static<typeof ExplainArgs>

const Node = Type.Object(
  { at: Type.String(), verdict: Type.Union([Type.Boolean(), Type.Null()]) },
  { additionalProperties: true, title: 'RuleNode' },
)

const Explained = Type.Object(
  {
    allowed: Type.Boolean(),
    reason: Type.Union([Type.String(), Type.Null()]),
    rules: Type.Array(Type.Composite([Type.Object({ role: Type.String(), part: Type.String() }), Node])),
  },
  { title: 'ExplainedAccess' },
)

/** A rule of a role: an expression that a row must fulfil. */
interface Rule {
  readonly role: string
  readonly part: 'filter' | 'check'
  readonly tree: RuleNode
}

/** The parts of a permission that are expressions. */
const parts = ['filter', 'check'] as const

function sessionOf({ role, session = {} }: Args, dialect: Dialect): Session {
  const given = Object.entries(session).map(([name, value]) => [name.toLowerCase(), value] as const)
  const foreign = given.find(([name]) => !name.startsWith(dialect.sessionPrefix))
  if (foreign) {
    const message = `"${foreign[0]}" is no session variable: their names begin with "${dialect.sessionPrefix}"`
    throw badRequest('parse-failed', message, { path: ['session'] })
  }
  try {
    return assumedSession({ ...Object.fromEntries(given), [dialect.roleVariable]: role }, dialect)
  } catch (error) {
    throw badRequest('parse-failed', messageOf(error), { path: ['session'] })
  }
}

function keyCondition({ key }: Args, table: TableModel, context: OperationContext): Condition {
  const entries = Object.entries(key)
  return within('key', () => {
    for (const [column] of entries)
      within(column, () => requireColumn(table, column, { missing: `"${column}" does not exist`, hint: '' }))
    const equal = Object.fromEntries(entries.map(([column, value]) => [column, { _eq: value }]))
    return resolveExpression(equal, table, expressionContext(context))
  })
}

/** The rules of roles with the permission. */
function rulesOf(roles: readonly string[], { table, verb = 'select' }: Args, context: OperationContext): Rule[] {
  const entry = findTable(context.metadata, table)
  const model = context.model.tables.get(nameKey(table))!
  return roles.flatMap((role) => {
    const list: readonly { readonly role: string; readonly permission: object }[] = entry?.[`${verb}_permissions`] ?? []
    const permission = list.find((each) => each.role === role)?.permission ?? {}
    return parts.flatMap((part): Rule[] => {
      const expression = (permission as Readonly<Record<string, unknown>>)[part]
      if (typeof expression !== 'object' || expression === null) return []
      const tree = ruleTree(expression, model, [part], (name) => context.model.tables.get(nameKey(name)))
      return [{ role, part, tree }]
    })
  })
}

/** A node as it is shown. */
function shownNode(
  node: RuleNode,
  verdicts: ReadonlyMap<RuleNode, Verdict>,
  session: Session,
  dialect: Dialect,
): object {
  const { at, operator, operand, compared, nodes } = node
  const { verdict, ...values } = verdicts.get(node) ?? { verdict: null }
  const variable = typeof operand === 'string' ? sessionVariableName(dialect, operand) : null
  const { other, missing, ...actual } = values as Verdict
  const expected = variable !== null ? { expected: session.variables[variable] ?? null } : undefined
  return {
    at: pathText(at),
    verdict,
    ...(compared && { column: [...compared.way.map(({ name }) => name), compared.column].join('.') }),
    ...(operator !== null && { operator, operand }),
    ...(operator !== null && expected),
    ...(other !== undefined && { expected: other }),
    ...('actual' in actual && { actual: actual.actual }),
    ...(missing !== undefined && { missing }),
    ...(nodes.length > 0 && { nodes: nodes.map((each) => shownNode(each, verdicts, session, dialect)) }),
  }
}

/** Whether the role sees any of these rows, all narrowings of plugins included. */
async function anyOf(rows: Rows, session: Session, { catalog, transaction }: OperationContext): Promise<boolean> {
  const printer = new Printer({ stringifyNumbers: false, serverVersion: catalog.serverVersion })
  const call = { operator: 'count', columns: [], distinct: false } as const
  const output = { kind: 'object', entries: [{ key: 'count', value: { kind: 'call', call } }] } as const
  const statement = printer.finish(aggregateSql({ rows, output }, null, printer))
  const [row] = await transaction.texts(prepare(statement), bindParams(statement.params, { variables: {}, session }))
  return (parseJson(row?.[0] ?? 'null', 'precise') as { readonly count: unknown }).count !== 0
}

interface Judged {
  readonly rules: readonly Rule[]
  readonly verdicts: ReadonlyMap<RuleNode, Verdict>
}

/** The roles of which all rules hold; the select permissions of several parents are united. */
function holding(roles: readonly string[], { rules, verdicts }: Judged): readonly string[] {
  const holds = ({ tree }: Rule) => verdicts.get(tree)?.verdict === true
  return roles.filter((role) => rules.filter((rule) => rule.role === role).every(holds))
}

async function explain(args: Args, access: Engine['access'], context: OperationContext): Promise<object> {
  const { dialect, model } = context
  const { role, verb = 'select' } = args
  const table = model.tables.get(nameKey(args.table))
  if (!table) throw badRequest('not-exists', `table "${nameText(args.table)}" does not exist`, { path: ['table'] })
  const session = sessionOf(args, dialect)
  const key = keyCondition(args, table, context)
  const rights = access.of(model, session)
  const roles = role === 'admin' ? [] : rights.grantors((each) => table.permissions.get(each)?.[verb] !== undefined)
  const rules = rulesOf(roles, args, context)
  const nodes = rules.flatMap(({ tree }) => allNodes(tree))
  if (nodes.length > mostNodes) {
    throw badRequest('not-supported', `the rules have ${nodes.length} nodes, and at most ${mostNodes} are explained`)
  }
  const found = await verdictsOf(nodes, { table, key, session, context })
  const verdicts = new Map(nodes.flatMap((node, i) => (found ? [[node, found[i]!] as const] : [])))
  const granted = holding(roles, { rules, verdicts })
  const reason = async (): Promise<string | null> => {
    if (!found) return 'no row has this key'
    const right = rights.get(args.table)?.[verb] ?? null
    if (role !== 'admin' && roles.length === 0)
      return `role "${role}" has no ${verb} permission on table "${nameText(table.name)}"`
    if (!right) return `the ${verb} permission is for requests of a backend only, or the table takes no such change`
    const missing = [...verdicts.values()].find((each) => each.missing !== undefined)?.missing
    if (role !== 'admin' && granted.length === 0) {
      return missing === undefined ? 'the rule does not hold' : `the session lacks the variable "${missing}"`
    }
    const select = rights.get(args.table)?.select
    if (verb !== 'select' || !select || missing !== undefined) return null
    return (await anyOf(select.rows({ where: key }), session, context)) ? null : 'a plugin hides the row from the role'
  }
  const because = await reason()
  return {
    allowed: because === null,
    reason: because,
    rules: rules.map(({ role: each, part, tree }) => ({
      role: each,
      part,
      ...shownNode(tree, verdicts, session, dialect),
    })),
  }
}

export const explainAccess = ({ access }: Pick<Engine, 'access'>) =>
  operation({
    type: 'explain_access',
    about: {
      summary:
        'Tells why a role may or may not select, insert, update or delete a row: the verdict of each part of the rule.',
      result: Explained,
    },
    args: ExplainArgs,
    access: 'any',
    editsMetadata: false,
    handle: (context, args) => explain(args, access, context),
  })
