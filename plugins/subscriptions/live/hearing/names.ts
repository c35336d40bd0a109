// The names in a statement's text, and the statements that ask what they stand for.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8')

/** A statement over what such names stand for; its parameters are schemas and names, in pairs. */
export const statementOfNames = (file: string): string => read('named.sql') + read(file)

const qualifiedNames = /"((?:[^"]|"")+)"\."((?:[^"]|"")+)"/g

const unquote = (name: string): string => name.replaceAll('""', '"')

/** The schemas and the names of what may be relations or functions in a text of SQL, in pairs. */
export function namesIn(text: string): readonly [schemas: readonly string[], names: readonly string[]] {
  const pairs = [...text.matchAll(qualifiedNames)]
  const at = (group: number) => pairs.map((pair) => unquote(pair[group] ?? ''))
  return [at(1), at(2)]
}
