// Where a statement's parameter gets its value when the statement runs. Data only: `core/compiler/run/bind.ts` does the reading.

import type { Path } from '../../errors/path.ts'

/** A value of a request, as far as planning had to look into it. */
export type InputSource =
  | { readonly kind: 'constant'; readonly value: unknown }
  /** `path` leads into the variable's JSON value. */
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly (string | number)[] }
  | { readonly kind: 'list'; readonly items: readonly InputSource[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, InputSource])[] }

/** Throws the error that PostgreSQL would have for some rows only. */
export type TextCheck = (text: string) => void

export type ParamSource =
  /** Text in PostgreSQL's input syntax, known when planning. */
  | { readonly from: 'constant'; readonly value: string | null; readonly check?: TextCheck }
  /** A session variable; its absence is an error of the request. */
  | { readonly from: 'session'; readonly variable: string; readonly check?: TextCheck }
  /** All session variables as one JSON object. */
  | { readonly from: 'session-object' }
  /** A request value, checked and encoded by the codec of that name; `list` makes it a PostgreSQL array literal. */
  | {
      readonly from: 'input'
      readonly input: InputSource
      readonly codec: Codec
      readonly list: boolean
      readonly path: Path | null
      readonly check?: TextCheck
    }
  /** One member of each object of a list, as an array literal of the encoded values. */
  | {
      readonly from: 'members'
      readonly input: InputSource
      readonly member: string
      readonly codec: Codec
      /** Of the list. */
      readonly path: Path
    }
  /** A result of an earlier statement of the same mutation, by the slot it was put into. */
  | { readonly from: 'slot'; readonly slot: number; readonly column: number }

/** How JSON values of one GraphQL input type become PostgreSQL input text. */
export interface Codec {
  /** The GraphQL type's name, for messages. */
  readonly type: string
  /** What messages expect (`a 32-bit integer`); absent for types whose null has a message of its own. */
  readonly expects?: string
  /** Encodes a non-null JSON value; throws the interface's error without a path. `kind` is what a literal is called. */
  encode(value: unknown, kind?: string): string
  /** Whether a number is encoded as JavaScript prints it, so that many of them need not be looked at one by one. */
  readonly isPlain?: (value: number) => boolean
  /** The value that an encoded text stands for; absent: the text is in the input syntax of its type, and is cast to it. */
  readonly decode?: (text: Sql) => Sql
}

/** A piece of SQL, with the parameters in it. Only the makers in `sql.ts` give one. */
export interface Sql {
  readonly parts: readonly (string | ParamSource | Sql)[]
  /** Of a parameter whose text is cast, which is all that the parts are. */
  readonly cast?: { readonly source: ParamSource; readonly type: string }
}
