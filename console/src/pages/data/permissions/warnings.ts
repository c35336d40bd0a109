// Permissions that are allowed, and seldom meant.

type Permission = Readonly<Record<string, unknown>>

const isEmpty = (rule: unknown): boolean => typeof rule !== 'object' || rule === null || Object.keys(rule).length === 0

const isVariable = (value: unknown): value is string => typeof value === 'string' && /^x-[a-z]+-[\w-]+$/i.test(value)

/** The columns of the row itself that have to equal a session variable, with the variable. */
export function ownerColumns(rule: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  if (typeof rule !== 'object' || rule === null) return found
  for (const [key, value] of Object.entries(rule)) {
    if (key === '_and' && Array.isArray(value)) {
      for (const each of value) for (const [column, variable] of ownerColumns(each)) found.set(column, variable)
      continue
    }
    const compared = (value as { readonly _eq?: unknown } | null)?._eq ?? value
    if (!key.startsWith('_') && isVariable(compared)) found.set(key, compared)
  }
  return found
}

/** Whether a role may set a column. */
const sets = ({ columns, set }: Permission, column: string): boolean =>
  (columns === '*' || columns === undefined || (Array.isArray(columns) && columns.includes(column))) &&
  !Object.hasOwn((set ?? {}) as object, column)

/** The columns and relationships of the row itself that a rule is about. */
function membersOf(rule: unknown): readonly string[] {
  if (typeof rule !== 'object' || rule === null) return []
  return Object.entries(rule).flatMap(([key, value]) => {
    if (!key.startsWith('_')) return [key]
    return Array.isArray(value) ? value.flatMap(membersOf) : key === '_not' ? membersOf(value) : []
  })
}

interface Given {
  /** All columns of the table. */
  readonly columns: readonly string[]
  readonly role: string
  readonly verb: string
  readonly permission: Permission
  /** The permission of the role to select rows; null: it has none. */
  readonly select: Permission | null
}

/** A warning, with the change of the permission that ends it. */
export interface Warning {
  readonly text: string
  readonly remedy: { readonly title: string; readonly changes: Permission }
}

/** The warnings of a permission to insert or update. */
export function warningsOf({ columns, role, verb, permission, select }: Given): readonly Warning[] {
  const { filter, check, set = {} } = permission
  if (verb === 'update') {
    // A relationship may depend on any column.
    const isChanged = (name: string) => !columns.includes(name) || sets(permission, name)
    const leaves = !isEmpty(filter) && isEmpty(check) && membersOf(filter).some(isChanged)
    return leaves
      ? [
          {
            text: `An update can put a row out of the sight of ${role}: changed rows fulfil no rule.`,
            remedy: { title: 'Use the rule of the rows', changes: { check: filter } },
          },
        ]
      : []
  }
  if (verb !== 'insert') return []
  const owners = ownerColumns(select?.['filter'])
  const checked = ownerColumns(check)
  return [...owners].flatMap(([column, variable]) =>
    sets(permission, column) && !checked.has(column)
      ? [
          {
            text: `${role} reads rows where ${column} is ${variable}, and can insert rows with any ${column}.`,
            remedy: { title: `Preset ${column}`, changes: { set: { ...(set as object), [column]: variable } } },
          },
        ]
      : [],
  )
}
