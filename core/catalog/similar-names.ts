// Finds tables and functions with a name similar to an unknown one.

import type { Transaction } from '../database/transaction.ts'
import type { ErrorHelp } from '../errors/errors.ts'
import { nearestNames, suggestion } from '../errors/nearest.ts'
import { nameText, type QualifiedName, sameName } from '../names/names.ts'

const tables = `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p') and (n.nspname = $1 or c.relname = $2) limit 20000`

const functions = `select distinct n.nspname as schema, p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.prokind = 'f' and (n.nspname = $1 or p.proname = $2) limit 20000`

const similar = (query: string) => async (transaction: Transaction, wanted: QualifiedName) =>
  similarName(wanted, await transaction.rows<Row>(query, [wanted.schema, wanted.name]))

type Row = { readonly schema: string; readonly name: string }

/** The table or view that was probably meant. */
export const similarTable = similar(tables)

/** The function that was probably meant. */
export const similarFunction = similar(functions)

/** The same name in another schema, or a similar name in the same schema; nothing if the name exists. */
export function similarName(wanted: QualifiedName, candidates: readonly QualifiedName[]): ErrorHelp {
  if (candidates.some((each) => sameName(each, wanted))) return {}
  const elsewhere = candidates.find(({ name }) => name === wanted.name)
  if (elsewhere) return suggestion(nameText(elsewhere))
  const inSchema = candidates.filter(({ schema }) => schema === wanted.schema).map(({ name }) => name)
  const [nearest] = nearestNames(wanted.name, inSchema)
  return nearest === undefined ? {} : suggestion(nameText({ ...wanted, name: nearest }))
}
