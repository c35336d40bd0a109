// The qualified names in a statement's text, and the statements that look them up.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text of a file with SQL; `<name>` in it stands for the file of that name. */
export const sqlOf = (file: string): string =>
  readFileSync(join(import.meta.dirname, file), 'utf8').replace(/<(\w+)>/g, (_all, name) => `(${sqlOf(`${name}.sql`)})`)

/** A statement over the objects with such names; its parameters are schemas and names, in pairs. */
export const statementOfNames = (file: string): string => sqlOf('named.sql') + sqlOf(file)

const qualifiedNames = /"((?:[^"]|"")+)"\."((?:[^"]|"")+)"/g

const unquote = (name: string): string => name.replaceAll('""', '"')

/** Schemas and names of possible relations and functions in a text of SQL, in pairs. */
export function namesIn(text: string): readonly [schemas: readonly string[], names: readonly string[]] {
  const pairs = [...text.matchAll(qualifiedNames)]
  const at = (group: number) => pairs.map((pair) => unquote(pair[group] ?? ''))
  return [at(1), at(2)]
}
