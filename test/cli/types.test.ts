// Names in the TypeScript of `trellis types`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import { typescriptOf } from '../../cli/types/typescript.ts'

test('types with names that TypeScript refuses, or that are taken, get others', () => {
  const schema = buildSchema(`
    """a */ comment"""
    type string { next: string, list(of: [Int!]! = [1]): [[bigint!]]! }
    type string_ { a: Int }
    type Schema { id: ID! }
    scalar bigint
    type query_root { string: string, other: string_, schema: Schema }
    schema { query: query_root }`)
  const text = typescriptOf(schema, { scalars: new Map([['ID', 'number']]), areLongNumbersTexts: true })
  for (const part of [
    '/** a *\\/ comment */\nexport interface string__ {\n',
    "  __typename?: 'string'\n  next: string__ | null\n  list: readonly (readonly bigint_[] | null)[]\n",
    'export interface string_list_args {\n  of?: readonly Int[]\n}\n',
    'export type bigint_ = string\n',
    'export type ID = number\n',
    '  string: string__ | null\n  other: string_ | null\n  schema: Schema | null\n',
    'export interface Schema_ {\n  query: query_root\n}\n',
  ]) {
    assert.ok(text.includes(part), `${part}\nis not in\n${text}`)
  }
})
