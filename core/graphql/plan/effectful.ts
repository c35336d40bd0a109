// Tables whose reading may have side effects, by their names in statements.

import { tableSql } from '../../compiler/print/condition-sql.ts'
import { compile } from '../../database/sql/sql.ts'
import type { Model } from '../../metadata/document/model.ts'

const known = new WeakMap<Model['tables'], readonly string[]>()

/**
 * The printed names of the effectful tables of a model. Functions are never among them: volatile ones are not tracked.
 */
export function effectfulNames({ tables }: Model): readonly string[] {
  let names = known.get(tables)
  if (!names) {
    const effectful = [...tables.values()].filter(({ catalog }) => catalog.isEffectful)
    names = effectful.map(({ name }) => compile(tableSql(name)).text)
    known.set(tables, names)
  }
  return names
}
