// Whether the queries of collections fit the schema of administrators. It is looked at whenever the model changes; a
// query is validated again only if a table that it read has changed.

import { serviceKey, TrellisError } from '../../sdk/index.ts'
import type { Inconsistency, MetadataDocument, Model, ModelCheck, TableModel } from '../../sdk/metadata.ts'
import { recordingTables } from '../../sdk/metadata.ts'
import { queryRef } from './metadata.ts'
import type { CollectedQuery, QueryCollection } from './schema.ts'

/** Tells how another plugin uses a query; empty: it does not. */
export type QueryUse = (document: MetadataDocument, collection: string, query: string) => string

/** Uses of queries by other plugins, for the reasons of inconsistent queries. */
export const queryUses = serviceKey<QueryUse[]>('query-uses')

/** The result of a validation, and all that it depends on. */
interface Validity {
  readonly problem: string | null
  readonly tables: ReadonlyMap<string, TableModel | undefined>
  readonly slices: Model['slices']
}

const known = new WeakMap<CollectedQuery, Validity>()

/** Slices that schemas do not depend on. */
const independent = new Set(['query_collections', 'allowlist', 'rest_endpoints', 'source'])

function holds({ problem, tables, slices }: Validity, model: Model): boolean {
  // A table that is missing may be there now.
  if (problem !== null) return false
  const keys = new Set([...Object.keys(slices), ...Object.keys(model.slices)])
  for (const key of keys) {
    if (!independent.has(key) && Reflect.get(slices, key) !== Reflect.get(model.slices, key)) return false
  }
  for (const [key, table] of tables) if (model.tables.get(key) !== table) return false
  return true
}

type Validate = (text: string, model: Model) => void

function problemOf(query: CollectedQuery, model: Model, validate: Validate): string | null {
  const before = known.get(query)
  if (before && holds(before, model)) return before.problem
  const { model: recorded, tables } = recordingTables(model)
  const problem = messageOf(() => validate(query.query, recorded))
  known.set(query, { problem, tables, slices: model.slices })
  return problem
}

function messageOf(validate: () => void): string | null {
  try {
    validate()
    return null
  } catch (error) {
    if (error instanceof TrellisError) return error.message
    throw error
  }
}

/** The check of all collections. */
export const collectionsCheck = (validate: Validate, uses: readonly QueryUse[]): ModelCheck =>
  function* (model, document) {
    const found: Inconsistency[] = []
    for (const collection of document.query_collections) {
      for (const query of collection.definition.queries) {
        const problem = problemOf(query, model, validate)
        if (problem !== null) {
          const used = uses.map((use) => use(document, collection.name, query.name)).join('')
          found.push(inconsistency(collection, query, `${said(problem)}${used}`))
        }
        yield
      }
    }
    return found
  }

const rootField = /^field "([^"]+)" not found in type: '((?:query|mutation|subscription)_root)'$/

/** In the words that clients of later engines compare. */
const said = (problem: string): string =>
  JSON.stringify(problem.replace(rootField, "Couldn't find field $1 in root field $2"))

function inconsistency({ name: collection }: QueryCollection, query: CollectedQuery, problem: string): Inconsistency {
  const { name } = query
  return {
    ref: queryRef(collection, name),
    type: 'query_collections',
    definition: query,
    reason: `In query collection "${collection}" the query "${name}" is invalid with the following error(s): ${problem}`,
    isTolerated: 'in documents',
  }
}
