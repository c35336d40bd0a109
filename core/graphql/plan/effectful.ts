// Tables whose reading may do more than read, by the names that statements have for them.

import { tableSql } from '../../compiler/print/condition-sql.ts'
import { compile } from '../../database/sql/sql.ts'
import type { Model } from '../../metadata/document/model.ts'

const known = new WeakMap<Model['tables'], readonly string[]>()

/** The printed names of the tables of a model that are effectful; functions never are: volatile ones are not tracked. */
export function effectfulNames({ tables }: Model): readonly string[] {
  let names = known.get(tables)
  if (!names) {
    const effectful = [...tables.values()].filter(({ catalog }) => catalog.isEffectful)
    names = effectful.map(({ name }) => compile(tableSql(name)).text)
    known.set(tables, names)
  }
  return names
}
