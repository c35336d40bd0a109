// The parts of a Kriti template, and the errors of templates.

/** A range of the template's text, from one offset to before another. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** One step of a path; `isOptional`: a missing value here, or where the step leads, makes the whole path null. */
export interface Step {
  readonly key: string | number
  readonly isOptional: boolean
}

export type Operator = '==' | '!=' | '<' | '>' | '<=' | '>=' | '&&' | '||' | 'in' | '??'

/** A part of a template that has a value. */
export type Expression = Range &
  (
    | { readonly kind: 'constant'; readonly value: unknown }
    | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
    | { readonly kind: 'list'; readonly items: readonly Expression[] }
    | { readonly kind: 'object'; readonly members: readonly (readonly [key: Expression, value: Expression])[] }
    | { readonly kind: 'path'; readonly variable: string; readonly steps: readonly Step[] }
    | { readonly kind: 'call'; readonly name: string; readonly argument: Expression }
    | { readonly kind: 'operation'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
    | {
        readonly kind: 'if'
        readonly branches: readonly (readonly [condition: Expression, value: Expression])[]
        readonly otherwise: Expression
      }
    | {
        readonly kind: 'range'
        readonly index: string
        readonly item: string
        readonly list: Expression
        readonly body: Expression
      }
  )

/** A template, and its text, in which errors have their places. */
export interface Template {
  readonly text: string
  readonly root: Expression
}

/** Kinds of errors while a template is evaluated. */
export type EvaluationErrorCode = 'Invalid Path' | 'Type Error' | 'Range Error' | 'Function Error' | 'Limit Error'

/** An error as an answer lists it. Lines and columns start at 1; the end is the last character. */
export interface ListedError {
  readonly error_code: EvaluationErrorCode
  readonly source_position: {
    readonly start_line: number
    readonly start_column: number
    readonly end_line: number
    readonly end_column: number
  }
  readonly message: string
}

/** A template that cannot be parsed. */
export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError'
}

/** A template that has no value for its input. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly code: EvaluationErrorCode
  readonly range: Range

  constructor(code: EvaluationErrorCode, message: string, range: Range) {
    super(message)
    this.code = code
    this.range = range
  }

  /** The error with its place in the template's text. */
  listed(text: string): ListedError {
    const [start_line, start_column] = placeOf(text, this.range.start)
    const [end_line, end_column] = placeOf(text, Math.max(this.range.start, this.range.end - 1))
    return {
      error_code: this.code,
      source_position: { start_line, start_column, end_line, end_column },
      message: this.message,
    }
  }
}

function placeOf(text: string, offset: number): readonly [line: number, column: number] {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return [before.split('\n').length, offset - lineStart + 1]
}
