// Where the value of a statement's parameter comes from at run time. Data only: `core/compiler/run/bind.ts` reads the values.

import type { Steps } from '../../concurrency/stepwise.ts'
import type { Path } from '../../errors/path.ts'

/** A value of a request, as far as planning had to read it. */
export type InputSource =
  | { readonly kind: 'constant'; readonly value: unknown }
  /** `path` leads into the variable's JSON value. */
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly (string | number)[] }
  | { readonly kind: 'list'; readonly items: readonly InputSource[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, InputSource])[] }

/** Throws the error that PostgreSQL would raise for some rows only. */
export type TextCheck = (text: string) => void

/** Turns a text into the one that is bound, at each request; its errors get the path of the value. */
export type TextEncoding = (text: string) => string

/** The origin of a parameter's value. */
export type ParamSource =
  /** Text in PostgreSQL's input syntax, known when planning. */
  | {
      readonly from: 'constant'
      readonly value: string | null
      readonly check?: TextCheck
      readonly encode?: TextEncoding
    }
  /** A session variable; its absence is an error of the request. */
  | {
      readonly from: 'session'
      readonly variable: string
      readonly check?: TextCheck
      readonly encode?: TextEncoding
    }
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
      readonly encode?: TextEncoding
    }
  /** One member of each object of a list, as an array literal of the encoded values. */
  | {
      readonly from: 'members'
      readonly input: InputSource
      readonly member: string
      readonly codec: Codec
      /** The list's path, for messages. */
      readonly path: Path
    }
  /** The values of several sources, as an array literal of their texts. */
  | { readonly from: 'each'; readonly sources: readonly ParamSource[] }
  /** A result of an earlier statement of the same mutation, by its slot. */
  | { readonly from: 'slot'; readonly slot: number; readonly column: number }

/** How JSON values of one GraphQL input type become PostgreSQL input text. */
export interface Codec {
  /** The name of the GraphQL type, for messages. */
  readonly type: string
  /** The expected value in messages (`a 32-bit integer`); absent for types whose null has its own message. */
  readonly expects?: string
  /** Encodes a non-null JSON value; throws the interface's error without a path. `kind` names a literal in messages. */
  encode(value: unknown, kind?: string): string
  /** The same in steps, for values that can be long; absent: values are short. */
  encodeSteps?(value: unknown): Steps<string>
  /** Whether a number is encoded as JavaScript prints it, so that lists of them need no check per item. */
  readonly isPlain?: (value: number) => boolean
  /** The value of an encoded text; absent: the text is in the type's input syntax, and a cast reads it. */
  readonly decode?: (text: Sql) => Sql
}

/** A piece of SQL with its parameters; only the functions in `sql.ts` make it. */
export interface Sql {
  readonly parts: readonly (string | ParamSource | Sql)[]
  /** For a fragment that is a single cast parameter: its source and type. */
  readonly cast?: { readonly source: ParamSource; readonly type: string }
}
